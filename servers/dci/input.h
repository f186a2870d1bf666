// SPDX-License-Identifier: MIT
// The input of a client: from bytes to requests.
#ifndef DCI_INPUT_H
#define DCI_INPUT_H

#include "client.h"

// Does one step for a client that is not closing: begins its next request, or goes on with the one
// under way. Returns false if there is no whole request, or no room for the response.
bool input_step(struct client *client);
// Returns true if the input holds a whole request that has not begun, or the start of a frame that
// will be refused.
bool input_has_request(const struct client *client);

#endif
