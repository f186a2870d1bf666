// SPDX-License-Identifier: MIT
// From what a caller asks to count to what a session claims of the counters. Any context; nothing
// here locks or allocates; a request is checked and made, or refused, at once.
#ifndef PMU_COUNTING_REQUEST_H
#define PMU_COUNTING_REQUEST_H

#include <orrery/pmu.h>
#include <pmu/share.h>

struct counting_plan {
    struct pmu_claim claim;  // item 0 is what slices are measured in, it is in every group
    u32 items;               // that the caller sees
    u32 flags;               // SYS_PMU_BY_PROCESS …
    u8 place[SYS_PMU_ITEMS]; // of each: its item of the claim; equal ones share it
};

// 0, or an error, with *plan undefined and the reason in message, which ends in 0 and is cut to
// bytes (0: nothing is written); on success message is empty:
// E_INVAL  a number is out of its range (orrery/pmu.h), or the CPUs are not among cpus
// E_NOTSUP no unit counts what slices are measured in
// E_LIMIT  too many events
s64 counting_plan_make(const struct sys_pmu_counting *counting, const struct pmu_offer *offer,
                       u32 cpus, struct counting_plan *plan, char *message, u64 bytes);

#endif
