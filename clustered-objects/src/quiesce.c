// SPDX-License-Identifier: MIT
// Generations. Only a CPU writes its own, with interrupts masked; others only read the number.
#include "internal.h"

static void join(struct co_cpu *cpu, struct co_generation_member *member)
{
    member->generation = cpu->generation;
    cpu->members[member->generation & 1]++;
}

static void leave(struct co_cpu *cpu, struct co_generation_member *member)
{
    cpu->members[member->generation & 1]--;
    member->generation = 0;
}

void co_thread_enter(struct co_generation_member *member)
{
    u64 state = co_platform_mask();
    join(co_cpu_of(co_platform_cpu()), member);
    co_platform_unmask(state);
}

void co_thread_exit(struct co_generation_member *member)
{
    u64 state = co_platform_mask();
    leave(co_cpu_of(co_platform_cpu()), member);
    co_platform_unmask(state);
}

void co_thread_checkpoint(struct co_generation_member *member)
{
    u64 state = co_platform_mask();
    struct co_cpu *cpu = co_cpu_of(co_platform_cpu());
    leave(cpu, member);
    join(cpu, member);
    co_platform_unmask(state);
}

void co_cpu_advance(void)
{
    struct co_cpu *cpu = co_cpu_of(co_platform_cpu());
    // Generations g-1 and g+1 share a count, so g-1 must be empty. It takes two steps, so that one
    // poke suffices on a CPU without members.
    for (u32 step = 0; step < 2 && cpu->members[(cpu->generation + 1) & 1] == 0; step++) {
        co_platform_fence(); // members' last accesses come before the new number …
        __atomic_store_n(&cpu->generation, cpu->generation + 1, __ATOMIC_RELEASE);
        cpu->advances++;
    }
    co_platform_fence(); // … and new members read the tables after it (pairs with co_grace_begin)
}

void co_grace_begin(struct co_grace *grace)
{
    *grace = (struct co_grace){0}; // a later CPU has never seen what is unreachable now
    co_platform_fence();
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1))
        grace->target[cpu] = __atomic_load_n(&co_cpu_of(cpu)->generation, __ATOMIC_ACQUIRE) + 2;
}

bool co_grace_over(const struct co_grace *grace, bool poke)
{
    bool over = true;
    for (u32 cpu = co_cpu_from(0); cpu < ORRERY_MAX_CPUS; cpu = co_cpu_from(cpu + 1)) {
        if (__atomic_load_n(&co_cpu_of(cpu)->generation, __ATOMIC_ACQUIRE) >= grace->target[cpu])
            continue;
        over = false;
        if (poke)
            co_platform_poke(cpu);
    }
    return over;
}
