// SPDX-License-Identifier: MIT
// Decides which events are counted together. It splits a request's sets of events into groups
// without conflicts: all events of a group can be counted at once, each by a counter of its own
// (S000 §2.1.2). The groups take turns (pmu/rotate.h), and their counts are scaled
// (pmu/multiplex.h). Any context; nothing here locks or allocates. pmu_allocate takes 1 KB of stack
// and, for the largest requests, some milliseconds.
#ifndef PMU_ALLOCATE_H
#define PMU_ALLOCATE_H

#include <orrery/pmu.h>
#include <pmu/events.h>

#define PMU_ITEMS_MAX 64
#define PMU_SETS_MAX 16
#define PMU_GROUPS_MAX 16

#define PMU_EVERY_GROUP 0xffu // set of an item that is counted all the time
#define PMU_UNSAMPLED 0xffu   // source of an item whose counter nobody may sample

// One requested event. The same event with another filter is another item.
// filter: MODEL_KERNEL, MODEL_USER or both, with or without MODEL_TAGGED. The driver's unit does
// not distinguish modes or tags: its events need both modes, and excluded processes are counted
// too.
struct pmu_item {
    u8 event; // enum model_event or PMU_RUN_CYCLES
    u8 filter;
    u8 set;       // 0 … sets - 1, or PMU_EVERY_GROUP
    u8 source;    // its place among the sampled events, from 1; 0: only counted; PMU_UNSAMPLED
    u32 counters; // bit n: counter n can count it (struct pmu_offer)
};

// Sets take turns in proportion to their shares. A set that needs several groups divides its time
// evenly among them. The caller includes the item that slices are measured by, cycles or
// instructions, among the items in every group.
struct pmu_request {
    u32 items;  // 1 … PMU_ITEMS_MAX
    u32 sets;   // 1 … PMU_SETS_MAX; a set without items gets a group of those in every group
    u32 groups; // at most this many, sets … PMU_GROUPS_MAX; sets: nothing may be split
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
// one of them, the others would fit.
struct pmu_conflict {
    u64 items;    // bit n: item n
    u32 counters; // all counters that these items can use
    u32 groups;   // the number of groups into which they do not fit
};

// Splits each set into as few groups as possible. Counters left over are given to more of the set's
// items, those with the fewest groups first. So an item is in one or several groups of its set, and
// in none of another set. The same request always gives the same groups. Returns 0, or an error,
// with *conflict set and *allocation undefined:
// E_INVAL  a number of the request is out of its range (*conflict is zeroed)
// E_NOTSUP no counter can count conflict->items, or not with their filter
// E_BUSY   conflict->items must be counted at the same time and cannot be: all but one are in
//          every group
// E_LIMIT  conflict->items do not fit into conflict->groups groups, and no more are allowed
s64 pmu_allocate(const struct pmu_request *request, struct pmu_allocation *allocation,
                 struct pmu_conflict *conflict);

// Writes the conflict in words, like "larx:u, larx:k: 2 events, only counter 3". ":u" and ":k" mean
// user and kernel only. The text ends in 0 and is cut to bytes (> 0).
void pmu_conflict_text(const struct pmu_request *request, const struct pmu_conflict *conflict,
                       char *text, u64 bytes);

#endif
