// SPDX-License-Identifier: MIT
// Counts of events as read at one moment: their sum over CPUs, and what was counted between two
// readings.
#ifndef KOV_COUNTS_H
#define KOV_COUNTS_H

#include "counts/count_request.h"

#define COUNT_ERROR_UNKNOWN UINT64_MAX
#define ALL_CPUS UINT32_MAX // in place of the number of a CPU

#define COUNT_EXCLUDED_MAX 1024 // the list of excluded processes has no more

// Sums over the slices in which an event was counted on a CPU: of its counts; of squares and
// products of each slice's time and count.
typedef unsigned __int128 count_wide;
struct count_sums {
    count_wide time_squares, count_squares, products;
    u64 counted;
};

struct count {
    u64 count;              // scaled to all of the time
    u64 measured, total;    // of the slice event: while this event was counted, and in all
    u64 error;              // half width of the 99 % interval
    u64 slices;             // number of slices in which it was counted
    struct count_sums sums; // of one CPU; 0: they are not known
};

struct cpu_counts {
    u32 cpu;
    u64 time; // time base, when the CPU was read
    struct count counts[COUNT_ITEMS_MAX];
};

struct count_reading {
    struct cpu_counts cpus[ORRERY_MAX_CPUS];
    u32 cpu_count;
    u32 items;
    u64 time;                         // of the last CPU
    u32 excluded[COUNT_EXCLUDED_MAX]; // processes that were left out at some time of the session
    u32 excluded_count;
    bool displaced; // the session has yielded and ended
};

// Adds the same event's count on another CPU. The squares of the errors add up, since the errors
// are independent of each other.
void count_add(struct count *sum, const struct count *other);
// Adds the same event's count on the same CPU in another interval. Its sums add up, exactly, and
// the error follows from them as from one interval. Where sums are not known, errors add up as of
// CPUs.
void count_join(struct count *sum, const struct count *other);
// Returns the count of all CPUs of a reading.
struct count count_total(const struct count_reading *reading, u32 item);

#define COUNT_SLICES_MIN 2 // an error needs so many
// Returns whether the error is not known because there were too few slices.
bool count_lacks_slices(const struct count *count);
// Returns the CPU with too few slices; of several, the one with the fewest. NULL: none.
const struct cpu_counts *count_without_slices(const struct count_reading *reading, u32 item);

// Sets the scaled count and its error from the rest of it, which is of one CPU, with sums.
void count_scale(struct count *count);
// Returns what was counted from one reading of a CPU to the next, scaled by what was measured in
// between. Its error is known if both readings have sums, or if all was measured.
struct count count_between(const struct count *before, const struct count *after);
void count_reading_between(const struct count_reading *before, const struct count_reading *after,
                           struct count_reading *between);

// Returns whether any of the time was measured. If not, the count means nothing.
bool count_is_known(const struct count *count);
// Returns the part of the time that was measured, 0…1.
double count_fraction(const struct count *count);

#endif
