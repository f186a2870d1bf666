// SPDX-License-Identifier: MIT
// The server and its clients as clustered objects of its process: DciServer, and below it a DciClient each. In tests there
// are none.
#ifndef DCI_REGISTRY_H
#define DCI_REGISTRY_H

#include "client.h"

void registry_start(void);
// A client has come; without memory for its object it is served all the same.
void registry_add(struct client *client);
void registry_remove(struct client *client);
// serve_round, as a method of the server's object.
u64 registry_round(u64 until);
// client_work, as a method of the client's object.
bool registry_work(struct client *client, u64 now);

#endif
