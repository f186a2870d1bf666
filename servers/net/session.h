// SPDX-License-Identifier: MIT
// Session: a process that uses the network, its sockets, and how to wake it. A clustered object.
#ifndef NET_SESSION_H
#define NET_SESSION_H

#include <orrery/process.h>

struct session;

// Makes the endpoint of the service "net", to be registered. 0 or an error.
s64 sessions_start(cap_t *service);
// Notes that a session's process is to be woken at the time `when`, or at the next sessions_wake
// after it. net_lock held.
void session_wake(struct session *session, u64 when);
// Wakes those whose time has come. net_lock held.
void sessions_wake(u64 now);
// When sessions_wake is next to be called at the latest. net_lock held.
u64 sessions_deadline(void);
// For the scan: any thread, no lock.
u32 sessions_count(void);
u32 sessions_coids(coid_t *out, u32 max);

#endif
