// SPDX-License-Identifier: MIT
// Decides which group counts next. Groups take turns by slices in proportion to their shares of the
// time: stride scheduling, with each slice at a random place within its stride. So a program whose
// phases are as long as a round does not show each group the same phase again and again. A rotation
// belongs to one CPU or thread, which serialises its calls. Any context, PMI included.
#ifndef PMU_ROTATE_H
#define PMU_ROTATE_H

#include <pmu/allocate.h>

// Virtual time, in 1/256: while a group with half of the time runs, it ages twice as fast as the
// clock.
struct pmu_rotation {
    u32 groups;
    u64 slice;
    u64 random;
    u32 share[PMU_GROUPS_MAX];
    u64 age[PMU_GROUPS_MAX];
    u64 due[PMU_GROUPS_MAX]; // a random place in the following slice
};

// Starts counting all groups' shares. slice: the intended length of slices, in the slice event, at
// most SYS_PMU_SLICE_MAX. seed: any; the same seed gives the same order.
void pmu_rotation_begin(struct pmu_rotation *rotation, const struct pmu_allocation *allocation,
                        u64 slice, u64 seed);

// Returns the group whose turn it is; the same until the next pmu_rotation_ran.
u32 pmu_rotation_next(const struct pmu_rotation *rotation);

// Records that a slice of this group has ended after time. Later turns make up for long and short
// slices. One of more than 32 times the intended length counts as 32, so that one long wait does
// not silence a group for ever.
void pmu_rotation_ran(struct pmu_rotation *rotation, u32 group, u64 time);

#endif
