// SPDX-License-Identifier: MIT
// Turns a caller's request to count into a session's claim on the counters. Any context; nothing
// here locks or allocates.
#ifndef PMU_COUNTING_REQUEST_H
#define PMU_COUNTING_REQUEST_H

#include <orrery/pmu.h>
#include <pmu/share.h>

struct counting_plan {
    struct pmu_claim claim;  // item 0 measures the slices, and is in every group
    u32 items;               // as the caller sees them
    u32 flags;               // SYS_PMU_BY_PROCESS …
    u8 place[SYS_PMU_ITEMS]; // the claim's item for each of them; equal ones share it
};

// Makes *plan. Returns 0, with an empty message, or an error, with *plan undefined and the reason
// in message, which ends in 0 and is cut to bytes (0: nothing is written):
// E_INVAL  a number is out of its range (orrery/pmu.h), or the CPUs are not among cpus
// E_NOTSUP no unit counts the slice event
// E_LIMIT  too many events
s64 counting_plan_make(const struct sys_pmu_counting *counting, const struct pmu_offer *offer,
                       u32 cpus, struct counting_plan *plan, char *message, u64 bytes);

#endif
