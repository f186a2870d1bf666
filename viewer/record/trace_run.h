// SPDX-License-Identifier: MIT
// One run of `kov trace record` or `snapshot`: what was captured, and what the machine says of it.
// Checks and prints it.
#ifndef KOV_TRACE_RUN_H
#define KOV_TRACE_RUN_H

#include "machine/workload.h"
#include "record/capture.h"
#include "record/trace_counters.h"

struct trace_run {
    struct capture capture;
    struct trace_counts counts;
    struct trace_left_out left_out;
    struct workload_result workload;
    bool has_workload;
    struct trace_counters counters;
    Orrery__Dci__TraceMode mode;
    u64 mask;
    u64 mask_before, process_mask_before;
    bool set_mask;
    bool reconnected; // while it was recorded, so something may be lost
    double begin, seconds;
};

// The sums of the streams of one process, or of one CPU of the kernel.
struct trace_sums {
    u32 pid;
    bool ended; // nobody knows what it logged last
    u64 emitted, logged, discarded, overwritten, unread, received, packets, bytes;
};

// ---- trace_check.c ------------------------------------------------------------------------------

// Returns the index of the first stream of a process, or the count of streams.
size_t trace_first_process(const struct trace_run *run);
struct trace_sums trace_cpu_sums(const struct trace_run *run, u32 cpu);
// Returns the sums of the process whose streams begin at *next. Moves *next behind them.
struct trace_sums trace_process_sums(const struct trace_run *run, size_t *next);
// Checks that everything that was logged has been received or overwritten, or is kept unread. Only
// what a lost connection took with it may be missing. Else it prints a message for each CPU and
// process and returns KOV_FAILED.
int trace_check_counts(const struct trace_run *run);

// ---- trace_print.c ------------------------------------------------------------------------------

// Prints it for people, or as JSON.
void trace_run_print(const struct trace_run *run);

#endif
