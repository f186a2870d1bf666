// SPDX-License-Identifier: MIT
// Tells monitors that the CPU goes from one thread of the library to another (kind THREAD of
// orrery/monitors.h). Disabled.
#ifndef USERLIB_TOLD_H
#define USERLIB_TOLD_H

#include <user/sensor.h>

struct thread;

// Who gives the CPU up, and why: kept, as the thread itself may be gone when that is told.
struct leaving {
    u32 id; // 0: nobody
    u32 reason;
    u64 name;
};

// Whether a monitor wants it: while none does, this is all that a switch costs.
static inline bool told_wanted(void)
{
    return __builtin_expect(monitors_want() >> SYS_MONITOR_THREAD & 1, 0);
}

// The rest is called while it is wanted only.
struct leaving told_leaving(const struct thread *thread, u32 reason);
// Why one leaves that will be woken for one of these (WAKE_*).
u32 told_reason(u32 wakes);
void told_leaves(const struct leaving *leaving);
void told_stays(const struct leaving *leaving);
void told_comes(const struct thread *thread);

#endif
