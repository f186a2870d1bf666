// SPDX-License-Identifier: MIT
// What the parts of the net server share. Everything of lwIP, sessions and sockets happens under
// one lock, in the main thread or in a worker that serves a call.
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include <orrery/errors.h>
#include <orrery/types.h>
#include <user/lock.h>

extern struct mutex net_lock;

// The calling thread is the main one from now on.
void server_begin(void);
// The main thread has something to do. Any thread.
void server_wake(void);

#endif
