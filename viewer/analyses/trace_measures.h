// SPDX-License-Identifier: MIT
// What tools measure, told one by one at the moment when a tool would add it up. For users that do
// not want sums.
#ifndef KOV_TRACE_MEASURES_H
#define KOV_TRACE_MEASURES_H

#include "analyses/trace_walk.h"

enum trace_measured {
    MEASURED_PART,    // of a thread's time; key: the part
    MEASURED_SYSCALL, // key as span_kind has it
    MEASURED_FAULT,
    MEASURED_CALL, // waited for the answer; key: server's process, method
    MEASURED_WAIT, // for a spin lock; key: callers
    MEASURED_HOLD, // of a lock; key: callers, whether its waiters sleep
    MEASURED_KINDS
};
#define MEASURED_KEYS (KEY_WORDS - 1)

// All are set. `thread` did it or waited.
struct trace_measures {
    void (*take)(void *context, enum trace_measured kind, const u64 key[MEASURED_KEYS], u64 thread,
                 u64 from, u64 to);
    void (*idle)(void *context, u64 thread); // thread is of no process; called before the end
    void (*end)(void *context, const struct trace_walk *walk);
    void *context;
};

#endif
