// SPDX-License-Identifier: MIT
// Tells who waited for spin locks, who held locks for how long, and where they were called from
// (S002 §4.6, figure 7).
#ifndef KOV_TRACE_LOCKS_H
#define KOV_TRACE_LOCKS_H

#include "analyses/trace_measures.h"
#include "analyses/trace_tool.h"

enum trace_locks_order { LOCKS_BY_TIME, LOCKS_BY_COUNT, LOCKS_BY_LONGEST };

// Puts "locks", which are waits by lock, call chain and process; "holds", by lock and call chain;
// and totals. Each table has at most so many rows (0: all).
int trace_locks(struct engine *engine, const struct trace_choice *choice,
                enum trace_locks_order order, u64 most, json_t *document);

// Tells waits and holds to `measures` in place of sums.
int trace_locks_measure(struct engine *engine, const struct trace_choice *choice,
                        const struct trace_measures *measures);

extern const struct sheet trace_locks_sheets[];
void trace_locks_note(const json_t *document);

#endif
