// SPDX-License-Identifier: MIT
// Tells for what threads wait, and who wakes them: counts and times by thread and reason.
#ifndef KOV_TRACE_REASONS_H
#define KOV_TRACE_REASONS_H

#include "analyses/trace_tool.h"

struct trace_reasons {
    struct keyed_rows waits, wakers;
};
void trace_reasons_begin(struct trace_reasons *reasons);
void trace_reasons_free(struct trace_reasons *reasons);

// Adds a wait. reason: of trace/reasons.h.
void trace_reasons_waited(struct trace_reasons *reasons, u64 thread, u64 reason, u64 ticks);
// Adds a wake-up. by: the waking thread; 0: an interrupt. latency: from the wake-up until the
// thread ran.
void trace_reasons_woken(struct trace_reasons *reasons, u64 thread, u64 by, u64 reason,
                         u64 latency);

// Puts "waits", longest first, and "wakers", most frequent first; at most so many of each (0: all).
void trace_reasons_put(struct trace_reasons *reasons, const struct trace_walk *walk, u64 most,
                       json_t *document);
extern const struct column trace_waits_columns[], trace_wakers_columns[];

#endif
