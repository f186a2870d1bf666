// SPDX-License-Identifier: MIT
// The hub. It checks what browsers say and gives it to machines. It gives what machines say to the
// browsers that want it. It runs on the net thread and knows nothing of sockets.
#ifndef KOV_HUB_H
#define KOV_HUB_H

#include "gateway/access.h"
#include "gateway/outbox.h"
#include "gateway/machine.h"
#include "gateway/posts.h"

struct browser {
    u64 number; // counts up
    enum access_role role;
    u32 wrong_tokens;
    struct outbox outbox;
    void *connection; // belongs to net
    struct browser *next;
};

struct hub {
    struct access access;
    struct machine *machines[HUB_MACHINES];
    u32 machine_count;
    struct block *states[HUB_MACHINES]; // the last state of each machine, or NULL
    struct sent_names names[HUB_MACHINES];
    struct topics topics;
    struct browser *browsers; // with or without a role
    u64 last_browser;
    u32 served; // number of browsers with a role
    struct post_queue posts;
    // Tells that something waits for the browser. end: it must go, after a message about it.
    void (*ready)(void *connection, bool end);
};

void hub_init(struct hub *hub, void (*ready)(void *connection, bool end));
void hub_free(struct hub *hub);

struct browser *hub_connect(struct hub *hub, void *connection);
void hub_disconnect(struct hub *hub, struct browser *browser);
// Takes a whole message of a browser.
void hub_receive(struct hub *hub, struct browser *browser, const char *text, size_t size);
// Gives browsers what machines have posted.
void hub_distribute(struct hub *hub);

#endif
