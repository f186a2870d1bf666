// SPDX-License-Identifier: MIT
// What a session is made of, for its own sources.
#ifndef NET_SESSION_STATE_H
#define NET_SESSION_STATE_H

#include "holder.h"

#include <co/object.h>
#include <ipc/packet.h>
#include <net/protocol.h>

struct session_rep;

struct session_ops {
    struct co_ops base;
    s64 (*find)(struct session_rep *self); // its address
};

struct session_rep {
    CO_REP(struct session_ops);
};

struct client_session {
    struct co_root root;
    struct session_rep rep;
    struct ipc_service service;
    cap_t endpoint;                          // that its process calls
    cap_t client;                            // the process's, for wake-ups
    cap_t watched;                           // the same, for the thread that waits for its end
    struct holder holder;                    // of its sockets
    u32 slot;                                // in `sessions`
    u32 pid;                                 // of the process that opened it
    struct socket *sockets[NET_SOCKETS_MAX]; // by number
    // Memory that the process has and keeps, for its next socket of the number. It never becomes
    // another process's.
    struct net_shared *kept[NET_SOCKETS_MAX];
    u32 kept_count; // at most NET_KEPT_MAX
};

extern cap_t sessions_doorbell; // an endpoint whose calls wake the server

#endif
