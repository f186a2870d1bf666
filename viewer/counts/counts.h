// SPDX-License-Identifier: MIT
// Counts of events as read at one moment, the sum over CPUs,
// and what an interval between two readings had.
#ifndef KOV_COUNTS_H
#define KOV_COUNTS_H

#include "counts/count_request.h"

#define COUNT_ERROR_UNKNOWN UINT64_MAX
#define ALL_CPUS UINT32_MAX // in place of a CPU's number

#define COUNT_EXCLUDED_MAX 1024 // more are not told

struct count {
    u64 count;           // scaled to all of the time
    u64 measured, total; // of the slice event: while it was counted, and in all
    u64 error;           // half width of the 99 % interval
    u64 slices;          // in which it was counted
};

struct cpu_counts {
    u32 cpu;
    u64 time; // time base, when it was read
    struct count counts[COUNT_ITEMS_MAX];
};

struct count_reading {
    struct cpu_counts cpus[ORRERY_MAX_CPUS];
    u32 cpu_count;
    u32 items;
    u64 time;                         // of the last CPU
    u32 excluded[COUNT_EXCLUDED_MAX]; // processes that were left out at some time of the session
    u32 excluded_count;
    bool displaced; // the session yielded, and has ended
};

// Adds the same event's count on another CPU.
// Errors are independent of each other: their squares add up.
void count_add(struct count *sum, const struct count *other);
// All CPUs of a reading.
struct count count_total(const struct count_reading *reading, u32 item);

#define COUNT_SLICES_MIN 2 // an error is worked out from so many
// Is the error not known for want of slices?
bool count_lacks_slices(const struct count *count);
// The CPU of which that is so, of several the one with the fewest slices; NULL: of none.
const struct cpu_counts *count_without_slices(const struct count_reading *reading, u32 item);

// What came from one reading of a CPU to the next, scaled by what was measured in between; how far
// off it may be is worked out in count_error.h.
struct count count_between(const struct count *before, const struct count *after);
void count_reading_between(const struct count_reading *before, const struct count_reading *after,
                           struct count_reading *between);

// Was any of the time measured? A count that was not is no count.
bool count_is_known(const struct count *count);
// Part of the time that was measured, 0…1.
double count_fraction(const struct count *count);

#endif
