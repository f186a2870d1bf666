// SPDX-License-Identifier: MIT
// The common part of the net server. All work of lwIP, sessions and sockets happens under one lock.
// A worker that serves a call does at once what the call gives others to do. The main thread sees
// to frames and timers, and to what is too much for one call.
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include <orrery/errors.h>
#include <orrery/types.h>
#include <user/lock.h>

extern struct mutex net_lock;

// Makes the calling thread the main one.
void server_begin(void);
// Tells the main thread that it has something to do. Any thread.
void server_wake(void);
// Moves bytes of sockets that are ready (socket_ready), and what the machine sends to itself, until
// nothing is left: then false; or for so long as one may have the lock. net_lock held.
bool server_work(void);
// Runs server_work, then wakes processes, and the main thread when something is left for it. At the
// end of whatever changes sockets in another thread. net_lock held.
void server_turn(void);
// Returns when the main thread will look again by itself, for server_turn. Before it lets go of the
// lock.
u64 server_deadline(void);

#endif
