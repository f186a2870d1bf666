// SPDX-License-Identifier: MIT
// The process's session with the net server: found when first needed, and again when the server has
// ended. Sockets of an ended session are lost. Any thread.
#ifndef SOCKET_SESSION_H
#define SOCKET_SESSION_H

#include <net/protocol.h>
#include <orrery/errors.h>
#include <orrery/process.h>
#include <user/thread.h>

struct net_session {
    u64 references; // atomic: its sockets, its watching thread, and `current`
    cap_t endpoint; // takes ipc/net_session.idl
    cap_t doorbell; // takes wake-ups
    bool lost;      // the server has ended
    // Atomic: memory of sockets by number, also of closed ones, if the server keeps it, too.
    // Whoever takes one out unmaps it.
    void *mapped[NET_SOCKETS_MAX];
};

// Gets the live session, with a reference for the caller. Makes one by deadline if there is none.
// Returns 0, E_TIMEOUT, E_NOENT (no name service), E_LIMIT or E_NOMEM.
s64 session_get(u64 deadline, struct net_session **session);
void session_put(struct net_session *session);
bool session_lost(const struct net_session *session);
// Makes the server look at one of our sockets before this returns.
void session_ring(struct net_session *session, u32 number);
// Acts on the answer of a call. If it came, it says whether the process is to look at its sockets.
void session_woken(s64 error, const u32 *wake);

// ---- waiting ---------------------------------------------------------------------------------

// A thread that waits for sockets. It fills in thread, ready and argument, calls wait_begin, and
// parks for as long as ready(argument) is false. It is unparked when ready says so after a wake-up,
// and when a session is lost. ready is called by other threads, too, until wait_end has returned; a
// wake-up is for all who wait for a socket, so when it is not for this one, ready must ask for the
// next (net_socket_wanted does).
struct waiter {
    struct thread *thread;
    bool (*ready)(void *argument);
    void *argument;
    struct waiter *next, **link;
};
void wait_begin(struct waiter *waiter);
void wait_end(struct waiter *waiter);

#endif
