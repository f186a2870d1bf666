// SPDX-License-Identifier: MIT
// Quiescence by generations, as in K42: each CPU counts generations, each thread is a member of the
// generation that was current when it last held no object reference. A CPU moves on to generation
// g+1 when g-1 has no members, so when it has reached g+2, no reference taken in g or before is
// left.
#ifndef CO_QUIESCE_H
#define CO_QUIESCE_H

#include <orrery/types.h>

// One a thread, zeroed before its first co_thread_enter. Only its own CPU touches it.
struct co_generation_member {
    u64 generation; // 0: in none
};

// The thread begins to run kernel code. On its CPU, in any context; masks interrupts itself.
void co_thread_enter(struct co_generation_member *member);
// The thread ends; it holds no reference to an object any more. On its CPU.
void co_thread_exit(struct co_generation_member *member);
// The thread holds no reference at this point, and goes on. On its CPU.
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

// Moves this CPU's generation on as far as its members allow. From the timer tick, the idle loop
// and the poke interrupt: interrupts soft-masked, the calling handler holds no object reference.
void co_cpu_advance(void);

// This much of a generation snapshot is enough to know when every CPU has passed it.
struct co_grace {
    u64 target[ORRERY_MAX_CPUS];
};
// Begins a grace period: what was made unreachable before this call is unreferenced when
// co_grace_over. Any context.
void co_grace_begin(struct co_grace *grace);
// True when every CPU has passed; otherwise pokes those that have not when poke is set.
bool co_grace_over(const struct co_grace *grace, bool poke);

#endif
