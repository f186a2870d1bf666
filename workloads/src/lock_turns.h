// SPDX-License-Identifier: MIT
// Counts how many turns an acquisition of a spin lock waited, from its trace event, and so
// independently of the performance monitor. It reads this CPU's own trace ring, and takes nothing
// out of it.
#ifndef WORKLOADS_LOCK_TURNS_H
#define WORKLOADS_LOCK_TURNS_H

#include <kernel/spinlock.h>

// A moment in this CPU's trace.
struct lock_turns_mark {
    u64 events, packets;
    const u64 *next; // where the next event goes; NULL: into another packet
};

// Returns whether locks are traced now (trace=…, `kov trace set`). If not, all locks seem free.
bool lock_turns_known(void);
// Both on one CPU, soft-masked from the first to the second. The second returns the turns of this
// lock's events since the mark (0: the lock was free, or the event was discarded).
struct lock_turns_mark lock_turns_mark(void);
u64 lock_turns_since(const struct lock_turns_mark *mark, const struct spinlock *lock);

#endif
