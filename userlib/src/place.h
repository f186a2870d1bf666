// SPDX-License-Identifier: MIT
// Where the process may run (orrery/place.h), as the library acts by it.
#ifndef USERLIB_PLACE_H
#define USERLIB_PLACE_H

#include <orrery/types.h>

// Mask of CPUs on which threads are to run; 0: nobody has placed the process. Atomic.
extern u64 place_cpus;

static inline bool place_is_set(void)
{
    return __builtin_expect(__atomic_load_n(&place_cpus, __ATOMIC_RELAXED) != 0, 0);
}

// Returns the CPU of a new thread that is wanted on cpu, or THREAD_HERE: one of the place.
u32 place_of_new(u32 cpu);
// Returns whether threads may be sent to a CPU.
static inline bool place_has(u32 cpu)
{
    u64 cpus = __atomic_load_n(&place_cpus, __ATOMIC_RELAXED);
    return cpus == 0 || cpu >= ORRERY_MAX_CPUS || (cpus >> cpu & 1) != 0; // no CPU: another error
}

// Handles EVENT_PLACE: asks for the place, and sends the threads there that are elsewhere.
void place_changed(void);

#endif
