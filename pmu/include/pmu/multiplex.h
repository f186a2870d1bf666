// SPDX-License-Identifier: MIT
// Keeps what counts over the whole time are estimated from, where groups take turns. Per item it
// keeps sums over the slices in which the item was counted: n slices of times t_j with counts c_j,
// together t and c. Of the time T of all slices the item was measured for the fraction f = t/T. The
// estimate of its count, as in S000 §2.1.2, is
//
//     C = c T/t
//
// and C ± E holds the true count with a probability of 99 %, where
//
//     E = C q sqrt(u n/(n-1) sum (c_j/c - t_j/t)²) + 5 (1 - f)/f,   u = min(1, (1 - f)/f)
//
// The root is the relative standard deviation of a ratio of sums over n slices drawn by lot; it
// assumes that the unmeasured part varies like the measured part. Slices are drawn from rounds, not
// from all slices, and u is the part of the deviation that is left by that in the worst case, a
// program that differs within rounds only. Of a round's k slices m measured ones leave (k-m)/(k-1),
// which is u for m = 1 and for m = k-1, and less between. q is Student's t for n - 1 degrees of
// freedom; kov widens it for few slices. The last term is for rare events, whose slices may all be
// alike because none contained one: of 5 events in so much time one would be seen in 99 of 100
// cases. With f = 1 the count is exact, E = 0.
//
// E does not cover bursts so rare that no measured slice contains one, and phases in step with the
// order of slices (so pmu/rotate.h draws the order by lot). Phases longer than a round make E
// larger than the error.
//
// The sums are exact. Those of an interval are the differences of two readings' sums. Whoever reads
// them estimates (viewer/counts/count_error.c): it takes thousands of instructions an item. Any
// context; the owner of a pmu_multiplex serialises its use. A slice costs a few multiplications for
// each counter.
#ifndef PMU_MULTIPLEX_H
#define PMU_MULTIPLEX_H

#include <pmu/allocate.h>

typedef unsigned __int128 pmu_wide;

#define PMU_COUNT_MAX (1UL << 48)

struct pmu_sums {
    u64 slices;
    u64 time, count;
    pmu_wide time_squares, count_squares, products; // of each slice's time and count
};

// The sums of one request on one CPU, or of one thread.
struct pmu_multiplex {
    u64 time; // of all slices
    u32 items;
    struct pmu_sums item[];
};

#define PMU_MULTIPLEX_BYTES(items)                                                                 \
    (sizeof(struct pmu_multiplex) + (items) * sizeof(struct pmu_sums))

// Zeroes the sums of items 1 … PMU_ITEMS_MAX. multiplex has PMU_MULTIPLEX_BYTES(items), aligned to
// 16.
void pmu_multiplex_begin(struct pmu_multiplex *multiplex, u32 items);

// Adds a slice of the group: its time in the slice event, and the counts of the group's counters;
// counts of counters without an item are ignored. Returns 0. On an error nothing is added. E_LIMIT:
// a sum would exceed PMU_COUNT_MAX (read, and begin again). E_INVAL: multiplex lacks an item of the
// group.
s64 pmu_multiplex_slice(struct pmu_multiplex *multiplex, const struct pmu_group *group, u64 time,
                        const u64 counts[PMU_COUNTERS]);

#endif
