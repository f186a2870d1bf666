// SPDX-License-Identifier: MIT
// Threads: park and unpark between CPUs lose no wake-up, a wake-up that comes first is kept, a
// deadline ends a park, and priorities preempt.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"

#define ROUNDS 2000

// A token goes round all CPUs; whoever holds it counts and hands it on.
struct ring {
    struct thread *members[ORRERY_MAX_CPUS];
    u32 holder; // CPU
    u64 passes;
};

static void pass_token(struct bench_worker *worker)
{
    struct ring *ring = worker->argument;
    u32 next = (worker->cpu + 1) % cpu_count;
    __atomic_store_n(&ring->members[worker->cpu], thread_current(), __ATOMIC_RELEASE);
    while (__atomic_load_n(&ring->members[next], __ATOMIC_ACQUIRE) == NULL)
        thread_yield();
    for (u32 round = 0; round < ROUNDS; round++) {
        while (__atomic_load_n(&ring->holder, __ATOMIC_ACQUIRE) != worker->cpu)
            thread_park(NO_DEADLINE);
        ring->passes++;
        worker->result++;
        __atomic_store_n(&ring->holder, next, __ATOMIC_RELEASE);
        // The last member must not be woken after it has ended.
        if (!(round == ROUNDS - 1 && next == 0))
            thread_unpark(ring->members[next]);
    }
}

static void tokens(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    struct ring ring = {0};
    bench_on_cpus(bench_all_cpus(), pass_token, &ring, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, ROUNDS, workers[cpu].result);
    bench_tally_row(&tally, "token passed round %u CPUs by park and unpark", cpu_count);
    bench_exact((u64)ROUNDS * cpu_count, ring.passes, "  all passes, counted by the token");
}

static void parks(struct bench_worker *worker)
{
    thread_unpark(thread_current());
    thread_unpark(thread_current()); // one token, not two
    bool kept = thread_park(NO_DEADLINE);
    u64 deadline = timebase() + microseconds_to_ticks(2000);
    bool woken = thread_park(deadline);
    bool in_time = timebase() >= deadline;
    worker->result = (u64)kept | (u64)woken << 1 | (u64)in_time << 2;
}

static void deadlines(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    bench_on_cpus(bench_all_cpus(), parks, NULL, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, 5, workers[cpu].result); // kept, not woken, at the deadline
    bench_tally_row(&tally, "wake-up before park kept; deadline ends a park");
}

static void set_flag(void *flag)
{
    __atomic_store_n((u32 *)flag, 1, __ATOMIC_RELEASE);
}

// A thread of higher priority on the same CPU runs although this one never gives the CPU away.
static void preemption(struct bench_worker *worker)
{
    u32 flag = 0;
    u64 begin = timebase();
    struct thread *urgent =
        thread_create("bench-urgent", set_flag, &flag, worker->cpu, PRIORITY_HIGH);
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0 && bench_waits(begin))
        work_spin(100);
    worker->result = flag;
    thread_join(urgent);
}

// An equal thread gets its turn by time slice.
static void slicing(struct bench_worker *worker)
{
    u32 flag = 0;
    u64 begin = timebase();
    struct thread *equal =
        thread_create("bench-equal", set_flag, &flag, worker->cpu, PRIORITY_NORMAL);
    while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0 && bench_waits(begin))
        work_spin(100);
    worker->result = flag;
    thread_join(equal);
}

static void scheduled(void (*function)(struct bench_worker *worker), const char *what)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally tally = {0};
    bench_on_cpus(bench_all_cpus(), function, NULL, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&tally, 1, workers[cpu].result);
    bench_tally_row(&tally, "%s", what);
}

void bench_thread(void)
{
    tokens();
    deadlines();
    scheduled(preemption, "a thread of higher priority preempts a busy one");
    scheduled(slicing, "a thread of equal priority gets its time slice");
}
