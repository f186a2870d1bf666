// SPDX-License-Identifier: MIT
// How many turns an acquisition of a spin lock waited, as its trace event tells: a count that owes
// nothing to the performance monitor. It reads this CPU's own trace ring, and takes
// nothing out of it.
#ifndef WORKLOADS_LOCK_TURNS_H
#define WORKLOADS_LOCK_TURNS_H

#include <kernel/spinlock.h>

// A moment in this CPU's trace.
struct lock_turns_mark {
    u64 events, packets;
    const u64 *next; // where the next event goes; NULL: into another packet
};

// Whether locks are traced now (trace=…, `kov trace set`); if not,
// all locks seem to have been free.
bool lock_turns_known(void);
// Both with interrupts soft-masked in between, on one CPU. The second gives the turns of the events
// for this lock since the mark (0: it was free, or the event was discarded).
struct lock_turns_mark lock_turns_mark(void);
u64 lock_turns_since(const struct lock_turns_mark *mark, const struct spinlock *lock);

#endif
