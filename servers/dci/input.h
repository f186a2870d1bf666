// SPDX-License-Identifier: MIT
// From bytes to requests.
#ifndef DCI_INPUT_H
#define DCI_INPUT_H

#include "client.h"

// Does one step for a client that is not closing: begins its next request, or goes on with the one
// under way. Returns false when it could do nothing: no whole request, or no room for the response.
bool input_step(struct client *client);
// Is there a whole request that has not begun?
bool input_has_request(const struct client *client);

#endif
