// SPDX-License-Identifier: MIT
// Benchmark work on several CPUs at once, patience, and chance.
#include "bench.h"

#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>

#define PATIENCE_SECONDS 600
// 6.5^2 = 169 / 4.
#define SIGMAS_SQUARED 169
#define SIGMAS_DIVISOR 4

struct launch {
    void (*function)(struct bench_worker *worker);
    struct bench_worker *worker;
    u32 *waiting; // workers that have not arrived yet
    struct thread *thread;
};

static void spin_until_zero(u32 *word)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != 0)
        __asm__ volatile("or 31,31,31");
}

static void start(void *argument)
{
    struct launch *launch = argument;
    __atomic_fetch_sub(launch->waiting, 1, __ATOMIC_ACQ_REL);
    spin_until_zero(launch->waiting);
    launch->function(launch->worker);
}

// An empty worker takes the place of one that could not be created: the others wait for all.
static void join_all(struct launch *launches, u32 missing, u32 *waiting)
{
    __atomic_fetch_sub(waiting, missing, __ATOMIC_ACQ_REL);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        if (launches[cpu].thread != NULL)
            thread_join(launches[cpu].thread);
}

static void nothing(struct bench_worker *worker)
{
    (void)worker;
}

int bench_on_cpus(u64 mask, void (*function)(struct bench_worker *worker), void *argument,
                  struct bench_worker workers[ORRERY_MAX_CPUS])
{
    struct launch launches[ORRERY_MAX_CPUS] = {0};
    mask &= bench_all_cpus();
    // One more than the workers, so that none goes before it is known whether all exist.
    u32 waiting = (u32)__builtin_popcountll(mask) + 1;
    u32 missing = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((mask >> cpu & 1) == 0)
            continue;
        workers[cpu] = (struct bench_worker){.cpu = cpu, .argument = argument};
        launches[cpu] = (struct launch){function, &workers[cpu], &waiting, NULL};
        launches[cpu].thread = thread_create("bench", start, &launches[cpu], cpu, PRIORITY_NORMAL);
        missing += launches[cpu].thread == NULL;
    }
    if (missing != 0)
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            launches[cpu].function = nothing;
    join_all(launches, missing + 1, &waiting);
    return missing == 0 ? 0 : E_NOMEM;
}

u64 bench_all_cpus(void)
{
    return (1UL << cpu_count) - 1;
}

bool bench_waits(u64 since)
{
    return timebase() - since < PATIENCE_SECONDS * timebase_hz;
}

u64 bench_chance(u64 variance)
{
    u64 margin = 0;
    for (u64 step = 1UL << 28; step != 0; step /= 2)
        if (SIGMAS_DIVISOR * (margin + step) * (margin + step) < SIGMAS_SQUARED * variance)
            margin += step;
    return variance == 0 ? 0 : margin + 1;
}
