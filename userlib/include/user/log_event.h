// SPDX-License-Identifier: MIT
// A program's own events in its log for a scheduler (docs/logs.md, "In programs"). While the
// process has no log this is a load and a branch.
#ifndef USER_LOG_EVENT_H
#define USER_LOG_EVENT_H

#include <orrery/errors.h>
#include <orrery/log.h>

// CPUs with a log of this process: bits.
extern u64 log_cpus;

// Used by log_event alone.
s64 log_event_tell(u32 number, u32 correspondent, u32 counter);

// Logs that the calling thread did what the program calls by a number, 1 … LOG_EVENTS - 1: the
// number of the selector and the threshold in the descriptor of its domain. correspondent: another
// domain that has to do with it, or 0; nothing is logged if it is the thread's own. counter: the
// program's affair. A thread, also inside of user_disable. Returns 0, E_NOENT (this CPU has no log)
// or E_INVAL (no such number or domain).
static inline s64 log_event(u32 number, u32 correspondent, u32 counter)
{
    if (__builtin_expect(__atomic_load_n(&log_cpus, __ATOMIC_RELAXED) == 0, 1))
        return E_NOENT;
    return log_event_tell(number, correspondent, counter);
}

#endif
