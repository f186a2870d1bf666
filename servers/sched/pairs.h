// SPDX-License-Identifier: MIT
// What the calls between processes, and where these are, come to in a view: pairs and affinities.
#ifndef SCHED_PAIRS_H
#define SCHED_PAIRS_H

#include "policies/policy.h"

#include <orrery/place.h>

// A process, reading by reading.
struct watched {
    u32 pid, dispatchers;
    bool placeable;  // as far as the list of processes tells
    bool spreadable; // the same, if it serves
    u64 seen;        // the last reading that had it
    u64 ticks[SCHED_READINGS + 1];
    char name[PROCESS_NAME_MAX];
    // When a view is made:
    bool placed, rests; // `place` is known; it was placed shortly before
    struct sys_placement place;
    u32 permille; // of a CPU, during the readings
    u32 cpu;      // where it may be placed from, or SCHED_CPUS
};

// Ages begin now.
void pairs_begin(u32 cpus);
// Adds how near a process is to each CPU.
void pairs_add_affinity(struct view *view, const struct watched *entry, u32 permille);
// Says how long the last block was, and how long ago. Without calls: SCHED_UNKNOWN.
void pairs_age(u16 *ms, u16 *age_ms, bool with_calls);
// Adds the pairs of the last block, and servers that are spread for nobody. Processes in rising
// order of pids.
void pairs_add(struct view *view, const struct watched *processes, u32 count);
// Stores the first pairs of the last block, without what may be done with them. Returns how many
// there are.
u32 pairs_top(struct sched_pair *pairs, u32 room);

#endif
