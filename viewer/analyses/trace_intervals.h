// SPDX-License-Identifier: MIT
// Divides what is measured in a recording into equal intervals of the time that is looked at.
// Memory: (number of threads and of what they do) × (number of intervals).
#ifndef KOV_TRACE_INTERVALS_H
#define KOV_TRACE_INTERVALS_H

#include "analyses/trace_measures.h"

struct interval_row {
    u64 key[KEY_WORDS];  // key as measured, then the thread
    u64 *ticks, *counts; // by interval
};

struct trace_intervals {
    u64 begin, end, hz;
    u64 lost_packets, discarded;
    u32 count; // of intervals
    struct keyed_rows rows[MEASURED_KINDS], idle;
    // Called for each row when its walk ends, if its thread is not idle. It may take over ticks and
    // counts and must then set them to NULL.
    void (*row)(void *context, enum trace_measured kind, struct interval_row *row,
                const struct trace_walk *walk);
    void *context;
};

// Measures. The caller has set row, context and count. Walks through all of the choice once for
// each tool that measures. Returns an exit code.
int trace_intervals_measure(struct trace_intervals *intervals, struct engine *engine,
                            const struct trace_choice *choice);
void trace_intervals_free(struct trace_intervals *intervals);

#endif
