// SPDX-License-Identifier: MIT
// Estimates counts over the whole time, and how far off they may be, from sums over slices
// (pmu/multiplex.h has the formula), in integers: exact up to the last step, whose results are
// rounded up. For tests: kov does nearly the same in floating point.
#ifndef PMU_ESTIMATE_H
#define PMU_ESTIMATE_H

#include <pmu/multiplex.h>

#define PMU_ERROR_UNKNOWN (~0UL)

struct pmu_estimate {
    u64 count;    // as if counted all the time; ~0: beyond what a u64 holds
    u64 error;    // E; PMU_ERROR_UNKNOWN: measured in part, and in fewer than two slices
    u64 measured; // the part of time in which the item was counted
    u64 time;     // of all slices, in the slice event
};

// Estimates an item (below items) from all slices since the beginning. If it was never counted: 0,
// with an unknown error.
void pmu_multiplex_read(const struct pmu_multiplex *multiplex, u32 item,
                        struct pmu_estimate *estimate);

#endif
