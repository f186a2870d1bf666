// SPDX-License-Identifier: MIT
// Several sessions on the counters of one unit (DESIGN.md §5). Each claims events; all claims
// together become one plan of groups, in which each sees its own. Claims are placed so that they
// disturb each other as little as can be: what fits beside the others is counted all the time, what
// does not takes turns, and what may not take turns keeps its counters, whoever else comes or goes.
// Any context; nothing here locks or allocates; pmu_share takes 5 KB of stack.
#ifndef PMU_SHARE_H
#define PMU_SHARE_H

#include <pmu/allocate.h>

#define PMU_CLAIMS SYS_PMU_SESSIONS

struct pmu_claim {
    struct pmu_request request; // groups is not looked at
    // How long turns are to be, in item 0's event, which is then in every group; 0: any.
    u64 slice;
    bool steady; // counted all the time, each item by one counter, the same as long as it lasts
    bool read;   // and programs read these counters: sampling them would begin them anew
};

struct pmu_plan {
    struct pmu_request request; // of all claims: equal items that are in every group stand once
    struct pmu_allocation allocation;
    u32 slice_item; // of request: what turns are measured in; PMU_NO_ITEM: nobody says
    u64 slice;      // the shortest that anybody asks for
    // The same groups as each claim sees them, with its own items; no groups: no such claim.
    struct pmu_allocation view[PMU_CLAIMS];
};

// claims[n]: NULL or what view n is of. before: the plan in force, for some of the same claims, or
// NULL: whose items are counted all the time there keep their counters if that can be, steady ones
// always. 0, or an error of pmu_allocate, with *plan undefined; the conflict's items are those of
// plan->request.
s64 pmu_share(const struct pmu_claim *const claims[PMU_CLAIMS], const struct pmu_plan *before,
              struct pmu_plan *plan, struct pmu_conflict *conflict);

// The counter that counts an item of a claim in every group; PMU_COUNTERS: there is none.
u32 pmu_view_counter(const struct pmu_allocation *view, u32 item);

#endif
