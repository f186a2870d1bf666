// SPDX-License-Identifier: MIT
// Tells how long each thread ran, waited for its CPU, and was blocked, and how soon it ran when it
// was woken.
#ifndef KOV_TRACE_SCHED_H
#define KOV_TRACE_SCHED_H

#include "analyses/trace_tool.h"

// Puts "threads", longest running first, and "all": wake to run, of all of them. Puts "waits" and
// "wakers", as far as the trace tells them (trace_reasons.h). Each has at most so many rows (0:
// all). The times run, ready, blocked and unknown of a thread add up to all of its time.
int trace_sched(struct engine *engine, const struct trace_choice *choice, u64 most,
                json_t *document);

extern const struct sheet trace_sched_sheets[];
void trace_sched_note(const json_t *document);

#endif
