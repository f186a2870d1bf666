// SPDX-License-Identifier: MIT
// One run of `kov trace record` or `snapshot`: what was captured and what the machine
// says of it; checked and printed.
#ifndef KOV_TRACE_RUN_H
#define KOV_TRACE_RUN_H

#include "machine/workload.h"
#include "trace/capture.h"
#include "trace/trace_counters.h"

struct trace_run {
    struct capture capture;
    struct trace_counts counts;
    struct workload_result workload;
    bool has_workload;
    struct trace_counters counters;
    Orrery__Dci__TraceMode mode;
    u64 mask;
    u64 mask_before, process_mask_before;
    bool set_mask;
    bool reconnected; // while it was taken: something may be lost
    double begin, seconds;
};

// The streams of one process added up; or of one CPU, for the kernel.
struct trace_sums {
    u32 pid;
    bool ended; // what it logged in the end is not known
    u64 emitted, logged, discarded, overwritten, unread, received, packets, bytes;
};

// ---- trace_check.c ------------------------------------------------------------------------------

// Index of the first stream of a process, or the count of streams.
size_t trace_first_process(const struct trace_run *run);
struct trace_sums trace_cpu_sums(const struct trace_run *run, u32 cpu);
// Of the process whose streams begin at *next, which is moved behind them.
struct trace_sums trace_process_sums(const struct trace_run *run, size_t *next);
// Everything that was logged must have been received or overwritten, or be kept unread, but for
// what a connection lost meanwhile took along:
// else KOV_FAILED, with a message for each CPU and process of which that is not so.
int trace_check_counts(const struct trace_run *run);

// ---- trace_print.c ------------------------------------------------------------------------------

// For people, or as JSON.
void trace_run_print(const struct trace_run *run);

#endif
