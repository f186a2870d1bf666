// SPDX-License-Identifier: MIT
// Tells where the time of each process goes, and what servers do for whom (S002, figure 8).
#ifndef KOV_TRACE_BREAKDOWN_H
#define KOV_TRACE_BREAKDOWN_H

#include "analyses/trace_measures.h"
#include "analyses/trace_tool.h"

// Puts four tables. "processes" divides the time of each process's threads: each tick from a
// thread's beginning to its end, within the time that is looked at, is in exactly one column.
// "cpus" does the same for each CPU. "servers" is by entry point and client. "syscalls" is by
// process. The last two have at most so many rows (0: all).
int trace_breakdown(struct engine *engine, const struct trace_choice *choice, u64 most,
                    json_t *document);

// Tells the parts of threads, and their calls, to `measures` in place of sums.
int trace_breakdown_measure(struct engine *engine, const struct trace_choice *choice,
                            const struct trace_measures *measures);
const char *trace_breakdown_part(u64 part);

extern const struct sheet trace_breakdown_sheets[];
void trace_breakdown_note(const json_t *document);

#endif
