// SPDX-License-Identifier: MIT
// A program's own events in its log for a scheduler (docs/logs.md, "In programs"). While the
// process has no log this is a load and a branch.
#ifndef USER_LOG_EVENT_H
#define USER_LOG_EVENT_H

#include <orrery/errors.h>
#include <orrery/log.h>

// CPUs with a log of this process: bits.
extern u64 log_cpus;

// The library's: use log_event.
s64 log_event_tell(u32 number, u32 correspondent, u32 counter);

// The calling thread did what the program calls by a number, 1 … LOG_EVENTS - 1: that of the
// selector and the threshold in the descriptor of its domain. correspondent: another domain that
// it has to do with, or 0; nothing is logged if it is the thread's own. What counter says is the
// program's affair. A thread, also inside of user_disable.
// 0; E_NOENT: there is no log of this CPU; E_INVAL: no such number or domain.
static inline s64 log_event(u32 number, u32 correspondent, u32 counter)
{
    if (__builtin_expect(__atomic_load_n(&log_cpus, __ATOMIC_RELAXED) == 0, 1))
        return E_NOENT;
    return log_event_tell(number, correspondent, counter);
}

#endif
