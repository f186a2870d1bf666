// SPDX-License-Identifier: MIT
// Session: a process that uses the network, its sockets, and how to wake it. A clustered object.
#ifndef NET_SESSION_H
#define NET_SESSION_H

#include <orrery/process.h>

// Makes the endpoint of the service "net", to be registered. 0 or an error.
s64 sessions_start(cap_t *service);
// Wakes those whose time has come (holder.h). net_lock held.
void sessions_wake(u64 now);
// Returns when sessions_wake is next to be called at the latest. net_lock held.
u64 sessions_deadline(void);
// Count and list sessions for the scan. Any thread, no lock.
u32 sessions_count(void);
u32 sessions_coids(coid_t *out, u32 max);

#endif
