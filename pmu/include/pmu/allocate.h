// SPDX-License-Identifier: MIT
// Which events are counted together: splits a request's sets of events into groups whose events do
// not conflict, that is, can all be counted at once, each by a counter of its own (seed 000
// §2.1.2). The groups take turns (pmu/rotate.h), and what they count is scaled (pmu/multiplex.h).
// Any context; nothing here locks or allocates; pmu_allocate takes 1 KB of stack and, for the
// largest requests, some milliseconds.
#ifndef PMU_ALLOCATE_H
#define PMU_ALLOCATE_H

#include <orrery/pmu.h>
#include <pmu/events.h>

#define PMU_ITEMS_MAX 64
#define PMU_SETS_MAX 16
#define PMU_GROUPS_MAX 16

#define PMU_EVERY_GROUP 0xffu // set of an item that is counted all the time
#define PMU_UNSAMPLED 0xffu   // source of an item whose counter must not be sampled, for anybody

// One event that is asked for. The same event may be asked for with several
// filters: these are items of their own.
// filter: MODEL_KERNEL, MODEL_USER or both, with or without MODEL_TAGGED. The driver's events are
// not told by mode or tag: for them it must be both modes, and excluded processes are counted.
struct pmu_item {
    u8 event; // enum model_event or PMU_RUN_CYCLES
    u8 filter;
    u8 set;       // 0 … sets - 1, or PMU_EVERY_GROUP
    u8 source;    // its place among what is sampled, from 1; 0: it is counted only; PMU_UNSAMPLED
    u32 counters; // bit n: counter n can count it (struct pmu_offer)
};

// Sets take turns in proportion to their shares; a set that needs several groups divides its time
// among them evenly. One of the items in every group is what slices are measured by, cycles or
// instructions: the caller puts it in.
struct pmu_request {
    u32 items;  // 1 … PMU_ITEMS_MAX
    u32 sets;   // 1 … PMU_SETS_MAX; one without an item gets a group of what is in every group
    u32 groups; // at most so many, sets … PMU_GROUPS_MAX; sets: nothing may be split
    struct pmu_item item[PMU_ITEMS_MAX];
    u32 share[PMU_SETS_MAX]; // 1 … SYS_PMU_SHARE_MAX, in any unit
};

#define PMU_NO_ITEM 0xff
#define PMU_WHOLE_TIME (1u << 20)

struct pmu_group {
    u8 set;
    u8 item[PMU_COUNTERS]; // what each counter counts, PMU_NO_ITEM: nothing
    u32 share; // of the time, in parts of PMU_WHOLE_TIME; all groups' shares add up to it exactly
};

struct pmu_allocation {
    u32 groups;
    struct pmu_group group[PMU_GROUPS_MAX];
};

// Why a request was refused: these items need more counters than there are for them. Without any
// one of them, the others would find their place.
struct pmu_conflict {
    u64 items;    // bit n: item n
    u32 counters; // all that these items can use
    u32 groups;   // the number of groups in which there is no place for them
};

// Splits each set into as few groups as possible; counters left over are given to more of the set's
// items, those with the fewest groups first, so an item is in one group of its set or in several,
// and in none of another set.
// The same request always gives the same groups. 0, or an error, with *conflict
// set and *allocation undefined:
// E_INVAL  a number of the request is out of its range (*conflict is zeroed)
// E_NOTSUP conflict->items can be counted by no counter, or not with their filter
// E_BUSY   conflict->items are to be counted at the same time and cannot be: they are in every
//          group but for one
// E_LIMIT  conflict->items fit into no conflict->groups groups, and there may be no more of them
s64 pmu_allocate(const struct pmu_request *request, struct pmu_allocation *allocation,
                 struct pmu_conflict *conflict);

// Writes the conflict in words, as "larx:u, larx:k: 2 events, only counter 3", ":u" and ":k"
// meaning user and kernel only. It ends in 0 and is cut to bytes (> 0).
void pmu_conflict_text(const struct pmu_request *request, const struct pmu_conflict *conflict,
                       char *text, u64 bytes);

#endif
