// SPDX-License-Identifier: MIT
// Tells monitors that the CPU goes from one thread of the library to another (kind THREAD of
// orrery/monitors.h). Disabled.
#ifndef USERLIB_REPORT_H
#define USERLIB_REPORT_H

#include <user/sensor.h>

// Who gives the CPU up, and why, as it will be told. A copy, as the thread itself may be gone then.
struct leaving {
    u64 thread; // SYS_MONITOR_THREAD_WORD, SYS_MONITOR_LEAVES; 0: nobody
    u64 what;   // MONITOR_TELL
    u64 name;
};

// Does a monitor want it? While none does, this is all that a switch costs.
static inline bool reports_wanted(void)
{
    return __builtin_expect(monitors_want() >> SYS_MONITOR_THREAD & 1, 0);
}

// Returns why a thread leaves that will be woken for one of these (WAKE_*).
u32 report_reason(u32 wakes);

#endif
