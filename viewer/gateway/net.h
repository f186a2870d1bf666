// SPDX-License-Identifier: MIT
// HTTP and WebSocket by libwebsockets: one loop, on 127.0.0.1 only. It refuses all but a GET of a
// file of ours and a WebSocket of our own page.
#ifndef KOV_NET_H
#define KOV_NET_H

#include "gateway/hub.h"

struct net;

// Listens. Port 0 is any free port. Returns NULL with a message if it cannot. After it, links can
// be printed (hub->access has the port).
struct net *net_open(struct hub *hub, int port);
// Serves until the program is interrupted.
void net_run(struct net *net);
// Tells that the hub has posts. Any thread may call it.
void net_wake(void *net);
void net_close(struct net *net);

#endif
