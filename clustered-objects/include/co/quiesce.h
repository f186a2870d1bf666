// SPDX-License-Identifier: MIT
// Quiescence by generations, as in K42. Each CPU counts generations. Each thread is a member of the
// generation that was current when it last held no object reference. A CPU moves to generation g+1
// when g-1 has no members. So when it has reached g+2, no reference taken in g or before is left.
#ifndef CO_QUIESCE_H
#define CO_QUIESCE_H

#include <orrery/types.h>

// One for each thread, zeroed before its first co_thread_enter. Only its own CPU touches it.
struct co_generation_member {
    u64 generation; // 0: in none
};

// Marks that the thread begins to run kernel code. On its CPU, in any context; masks interrupts
// itself.
void co_thread_enter(struct co_generation_member *member);
// Marks that the thread ends and holds no reference to an object. On its CPU.
void co_thread_exit(struct co_generation_member *member);
// Marks that the thread holds no reference at this point, and continues. On its CPU.
void co_thread_checkpoint(struct co_generation_member *member);

// Around parking: a parked thread holds back no generation.
static inline void co_thread_offline(struct co_generation_member *member)
{
    co_thread_exit(member);
}

static inline void co_thread_online(struct co_generation_member *member)
{
    co_thread_enter(member);
}

// Advances this CPU's generation as far as its members allow. From the timer tick, the idle loop
// and the poke interrupt: interrupts soft-masked, the calling handler holds no object reference.
void co_cpu_advance(void);

// A snapshot of generations, to find out when every CPU has passed it.
struct co_grace {
    u64 target[ORRERY_MAX_CPUS];
};
// Begins a grace period. When co_grace_over is true, nothing refers to what was unreachable before
// this call. Any context.
void co_grace_begin(struct co_grace *grace);
// Returns true if every CPU has passed. Else, if poke is set, pokes those that have not.
bool co_grace_over(const struct co_grace *grace, bool poke);

#endif
