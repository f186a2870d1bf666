// SPDX-License-Identifier: MIT
// Which group counts next. Groups take turns by slices in proportion to their shares of the time:
// stride scheduling, each slice at a random place within its stride, so that a program whose phases
// are as long as a round does not show each group the same phase again and again. One rotation
// belongs to one CPU or thread, who serialises its calls; any context, the performance monitor
// interrupt's too.
#ifndef PMU_ROTATE_H
#define PMU_ROTATE_H

#include <pmu/allocate.h>

// Virtual time, in 1/256: a group with half of the time ages twice as fast as the
// clock while it runs.
struct pmu_rotation {
    u32 groups;
    u64 slice;
    u64 random;
    u32 share[PMU_GROUPS_MAX];
    u64 age[PMU_GROUPS_MAX];
    u64 due[PMU_GROUPS_MAX]; // a random place in the slice that follows
};

// All groups' shares count from here. slice: how long slices are meant to be, in the slice event,
// at most SYS_PMU_SLICE_MAX. seed: any; the same gives the same order.
void pmu_rotation_begin(struct pmu_rotation *rotation, const struct pmu_allocation *allocation,
                        u64 slice, u64 seed);

// The group whose turn it is; the same until the next pmu_rotation_ran.
u32 pmu_rotation_next(const struct pmu_rotation *rotation);

// A slice of this group has ended that was so long: slices that came out long or short are made up
// for. One that was longer than 32 are meant to be counts as 32, so that one long wait does not
// silence a group for ever.
void pmu_rotation_ran(struct pmu_rotation *rotation, u32 group, u64 time);

#endif
