// SPDX-License-Identifier: MIT
// The place of a process: on which CPUs it runs, how urgent it is, how long its turns last
// (orrery/place.h). Who has RIGHT_PLACE sets it; a process that nobody has placed costs nothing.
#ifndef KERNEL_PROC_PLACEMENT_H
#define KERNEL_PROC_PLACEMENT_H

#include <kernel/process.h>

struct placement {
    u64 cpus; // 0, as with the next three: as it was made
    u32 priority, slice_ms, flags;
    u32 spread;                // of cpus: for calls alone
    bool posted;               // atomic: the next one is on its way
    struct posted_event event; // EVENT_PLACE
};

// Returns whether the process may have a dispatcher on cpu. Its lock held, or as a hint without.
bool placement_allows(const struct process *process, u32 cpu);
// Returns its priority, an enum process_priority.
u32 placement_priority(const struct process *process);
// Gives a dispatcher that has not started the priority and slice of its process. The process's lock
// held.
void placement_begin(struct dispatcher *dispatcher);
// Tells the library of a process that was placed before it started. Thread context, no lock held.
void placement_started(struct process *process);
// Ends what goes on for the dispatcher, which is ending. Its own CPU.
void placement_end(struct dispatcher *dispatcher);

#endif
