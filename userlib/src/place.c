// SPDX-License-Identifier: MIT
// Follows the place that somebody gives to the process: the threads go where they may run, each
// where it blocks, sleeps or yields next. Those that are pinned belong to their CPU, and stay.
#include "place.h"

#include "scheduler.h"

#include <orrery/place.h>
#include <orrery/sys.h>

u64 place_cpus;
static u64 spread_cpus; // atomic: those of them that are for calls alone

// Returns cpu if it is one of them, else one of them chosen by `turn`, so that several share them.
static u32 choose(u64 cpus, u32 cpu, u32 turn)
{
    if (cpus >> cpu & 1)
        return cpu;
    for (turn %= (u32)__builtin_popcountl(cpus); turn > 0; turn--)
        cpus &= cpus - 1;
    return (u32)__builtin_ctzl(cpus);
}

u32 place_of_new(u32 cpu)
{
    u64 place = __atomic_load_n(&place_cpus, __ATOMIC_RELAXED);
    if (cpu != THREAD_HERE)
        return cpu < user_cpu_count() ? choose(place, cpu, cpu) : cpu; // no CPU: E_INVAL follows
    place &= user_dispatchers() & ~__atomic_load_n(&spread_cpus, __ATOMIC_RELAXED);
    return place != 0 ? choose(place, user_cpu(), user_cpu()) : THREAD_HERE;
}

// Returns those of the CPUs that have a dispatcher now. The kernel refuses one if the place has
// changed again, which comes as the next event.
static u64 start_dispatchers(u64 cpus)
{
    u64 started = 0;
    for (u64 left = cpus; left != 0; left &= left - 1) {
        u32 cpu = (u32)__builtin_ctzl(left);
        if (user_dispatcher_start(cpu) == 0)
            started |= 1ul << cpu;
    }
    return started;
}

static void send_threads(u64 cpus)
{
    thread_all_lock();
    for (struct thread *thread = thread_all_first(); thread; thread = thread->all_next) {
        if (!thread->pinned)
            __atomic_store_n(&thread->wanted_cpu, choose(cpus, thread->wanted_cpu, thread->id),
                             __ATOMIC_RELAXED);
    }
    thread_all_unlock();
}

// Threads go to as few CPUs as can be: to those of the place that have a dispatcher already, or to
// its first one. A program spreads by itself.
static u64 destinations(u64 cpus)
{
    u64 there = cpus & user_dispatchers();
    return there != 0 ? there : cpus & -cpus;
}

void place_changed(void)
{
    struct sys_placement place;
    if (sys_place_get(0, &place) != 0 || place.cpus == 0)
        return;
    __atomic_store_n(&place_cpus, place.cpus, __ATOMIC_RELAXED);
    __atomic_store_n(&spread_cpus, place.spread, __ATOMIC_RELAXED);
    start_dispatchers(place.spread);
    u64 cpus = start_dispatchers(destinations(place.cpus & ~(u64)place.spread));
    if (cpus != 0)
        send_threads(cpus);
}
