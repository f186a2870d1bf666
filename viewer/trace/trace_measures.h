// SPDX-License-Identifier: MIT
// What tools measure, told one by one when it is added up: to who wants it otherwise than as sums.
#ifndef KOV_TRACE_MEASURES_H
#define KOV_TRACE_MEASURES_H

#include "trace/trace_walk.h"

enum trace_measured {
    MEASURED_PART,    // of a thread's time: the part
    MEASURED_SYSCALL, // as span_kind has its key
    MEASURED_FAULT,
    MEASURED_CALL, // waited for the answer: server's process, method
    MEASURED_WAIT, // for a spin lock: callers
    MEASURED_HOLD, // of a lock: callers, whether its waiters sleep
    MEASURED_KINDS
};
#define MEASURED_KEYS (KEY_WORDS - 1)

// All are set. The thread is who did it or waited.
struct trace_measures {
    void (*take)(void *context, enum trace_measured kind, const u64 key[MEASURED_KEYS], u64 thread,
                 u64 from, u64 to);
    void (*idle)(void *context, u64 thread); // of no process: before the end
    void (*end)(void *context, const struct trace_walk *walk);
    void *context;
};

#endif
