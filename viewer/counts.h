// SPDX-License-Identifier: MIT
// Counts of events as read at one moment, the sum over CPUs, and what an interval between two readings had.
#ifndef KOV_COUNTS_H
#define KOV_COUNTS_H

#include "count_request.h"

#define COUNT_ERROR_UNKNOWN UINT64_MAX

struct count {
    u64 count;           // scaled to all of the time
    u64 measured, total; // of the slice event: while it was counted, and in all
    u64 error;           // half width of the 99 % interval
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
    u64 time; // of the last CPU
};

// Adds the same event's count on another CPU. Errors are independent of each other: their squares add up.
void count_add(struct count *sum, const struct count *other);
// All CPUs of a reading.
struct count count_total(const struct count_reading *reading, u32 item);

// What came from one reading to the next, scaled by what was measured in between. How far off it may be is not known
// unless all was measured: the machine tells errors of whole sessions.
struct count count_between(const struct count *before, const struct count *after);
void count_reading_between(const struct count_reading *before, const struct count_reading *after,
                           struct count_reading *between);

// Was any of the time measured? A count that was not is no count.
bool count_is_known(const struct count *count);
// Part of the time that was measured, 0…1.
double count_fraction(const struct count *count);

#endif
