// SPDX-License-Identifier: MIT
// A client's turn.
#ifndef DCI_TURN_H
#define DCI_TURN_H

#include "client.h"

// All that can be done for a client now. Returns true when it has done something, so that there may
// be work elsewhere; false when it waits: for bytes, room, time.
bool client_work(struct client *client, u64 now);

#endif
