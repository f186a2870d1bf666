// SPDX-License-Identifier: MIT
// How long each thread ran, waited for its CPU, and was blocked; how soon it ran when it was woken.
#ifndef KOV_TRACE_SCHED_H
#define KOV_TRACE_SCHED_H

#include "trace/trace_tool.h"

// "threads", at most so many (0: all), who ran longest first; "all": wake to run, of all of them.
// "waits" and "wakers", as far as the trace tells them (trace_reasons.h), at most so many of each.
// Of each thread run, ready, blocked and unknown are all of its time.
int trace_sched(struct engine *engine, const struct trace_choice *choice, u64 most,
                json_t *document);

extern const struct sheet trace_sched_sheets[];
void trace_sched_note(const json_t *document);

#endif
