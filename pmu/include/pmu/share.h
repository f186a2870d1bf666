// SPDX-License-Identifier: MIT
// Several sessions share the counters of one unit (docs/pmu.md). Each claims events. All claims
// together become one plan of groups, in which each sees its own. Claims are placed to disturb each
// other as little as possible: one that fits beside the others is counted all the time, one that
// does not takes turns, and one that may not take turns keeps its counters, whoever comes or goes.
// Any context; nothing here locks or allocates; pmu_share takes 5 KB of stack.
#ifndef PMU_SHARE_H
#define PMU_SHARE_H

#include <pmu/allocate.h>

#define PMU_CLAIMS SYS_PMU_SESSIONS

struct pmu_claim {
    struct pmu_request request; // groups is ignored
    // The length of turns, in item 0's event, which is then in every group; 0: any.
    u64 slice;
    bool steady; // counted all the time, each item by one counter, which never changes
    bool read;   // and programs read these counters: sampling would reset them
};

struct pmu_plan {
    struct pmu_request request; // of all claims; equal items in every group appear once
    struct pmu_allocation allocation;
    u32 slice_item; // the item of request that turns are measured in; PMU_NO_ITEM: none
    u64 slice;      // the shortest that a claim asks for
    // The same groups as each claim sees them, with its own items; no groups: no such claim.
    struct pmu_allocation view[PMU_CLAIMS];
};

// Makes *plan. claims[n]: the claim that view n shows, or NULL. before: the plan in force, for some
// of the same claims, or NULL. Items that are counted all the time there keep their counters if
// possible, those of steady claims always. Returns 0, or an error of pmu_allocate, with *plan
// undefined; the conflict's items are those of plan->request.
s64 pmu_share(const struct pmu_claim *const claims[PMU_CLAIMS], const struct pmu_plan *before,
              struct pmu_plan *plan, struct pmu_conflict *conflict);

// Returns the counter of a claim's item in every group, or PMU_COUNTERS if there is none.
u32 pmu_view_counter(const struct pmu_allocation *view, u32 item);

#endif
