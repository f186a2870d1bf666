// SPDX-License-Identifier: MIT
// HTTP and WebSocket, by libwebsockets: one loop, on 127.0.0.1 only. What is no GET of a file of
// ours or a WebSocket of our own page is refused.
#ifndef KOV_NET_H
#define KOV_NET_H

#include "gateway/hub.h"

struct net;

// Listens; port 0: any that is free. NULL, with a message, when it cannot. Links can be printed
// once it is there (hub->access has the port).
struct net *net_open(struct hub *hub, int port);
// Serves until the program is interrupted.
void net_run(struct net *net);
// From any thread: the hub has posts.
void net_wake(void *net);
void net_close(struct net *net);

#endif
