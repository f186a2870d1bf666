// SPDX-License-Identifier: MIT
// What counters were read over time, so that the counts of any range are known as a session of just
// that range would tell them. A reading has all since its session began. So the difference of two
// is exact, whatever was read in between, and old readings can be thinned out: their neighbours'
// difference stays the same.
#ifndef KOV_GATEWAY_COUNT_LOG_H
#define KOV_GATEWAY_COUNT_LOG_H

#include "counts/counts.h"

struct count_log_run; // a counting session

struct count_log_entry {
    double time; // ns since boot
    struct count_log_run *run;
    u32 cpu_count;
    bool left_out; // while others are thinned out
    size_t bytes;
    struct cpu_counts_kept *cpus; // as many as cpu_count
};

struct count_log {
    size_t limit, bytes;
    struct count_log_entry *entries; // by time
    size_t count, capacity;
    u64 thinned; // readings that were left out for lack of memory
};

struct count_log_range {
    double from, to; // ns since boot: of the readings that bound it
    double seconds;  // without gaps
    u32 readings;
};

// Begins an empty log of at most so many bytes.
void count_log_begin(struct count_log *log, size_t limit);
void count_log_free(struct count_log *log);
// Adds a reading of what `request` counts; `first`: of another session than the last one. time: ns
// since boot, later than the last one; else it is left out.
void count_log_add(struct count_log *log, const struct count_request *request, bool first,
                   double time, const struct count_reading *reading);
// Returns when the newest reading was; -INFINITY: there is none.
double count_log_end(const struct count_log *log);
// Adds up what was counted between readings whose middle is in [from, to). If there are none, takes
// the two that have `from` between them. Sessions that counted something else than the last one of
// these are left out. *request is valid until the log changes. Returns false if there is nothing.
bool count_log_sum(const struct count_log *log, double from, double to,
                   const struct count_request **request, struct count_reading *sum,
                   struct count_log_range *range);

#endif
