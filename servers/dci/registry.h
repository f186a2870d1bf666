// SPDX-License-Identifier: MIT
// The server and its clients as clustered objects of its process: DciServer, and below it a
// DciClient each. In tests there are none.
#ifndef DCI_REGISTRY_H
#define DCI_REGISTRY_H

#include "client.h"

// round: one of the server's, turn: one of a client's, as registry_round and registry_work.
void registry_start(u64 (*round)(u64 until), bool (*turn)(struct client *client, u64 now));
// A client has come; without memory for its object it is served all the same.
void registry_add(struct client *client);
void registry_remove(struct client *client);
// A round, as a method of the server's object.
u64 registry_round(u64 until);
// A turn, as a method of the client's object.
bool registry_work(struct client *client, u64 now);

#endif
