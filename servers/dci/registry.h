// SPDX-License-Identifier: MIT
// The server and its clients as clustered objects of its process: DciServer, and below it a
// DciClient for each client. Tests on the host have no such objects.
#ifndef DCI_REGISTRY_H
#define DCI_REGISTRY_H

#include "client.h"

// Creates the server's object. round: does one round of the server, for registry_round. turn: does
// one turn of a client, for registry_work.
void registry_start(u64 (*round)(u64 until), bool (*turn)(struct client *client, u64 now));
// Adds a client's object. Without memory for it the client is served all the same.
void registry_add(struct client *client);
void registry_remove(struct client *client);
// Does a round as a method of the server's object. Returns what `round` returns.
u64 registry_round(u64 until);
// Does a turn as a method of the client's object. Returns what `turn` returns.
bool registry_work(struct client *client, u64 now);

#endif
