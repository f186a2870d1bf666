// SPDX-License-Identifier: MIT
// Spin locks: plain increments under one lock from all CPUs, from threads and from timer
// interrupts, add up; nobody is ever seen inside with another.
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"

#define ROUNDS 20000
#define TICK_US 300

static struct spinlock lock = SPINLOCK_INIT("bench", RANK_SERVICE);
static u64 shared[2]; // both incremented under the lock: equal whenever it is free
static u64 torn;      // times they were seen different
static u64 inside;    // CPU + 1 of who is in, or 0

struct ticker {
    struct timer timer; // first
    bool stop;
    u64 fired;
};

static void increment(void)
{
    spin_lock(&lock);
    if (shared[0] != shared[1] || inside != 0)
        torn++;
    inside = cpu_id() + 1;
    shared[0]++;
    work_spin(10);
    shared[1]++;
    if (inside != cpu_id() + 1)
        torn++;
    inside = 0;
    spin_unlock(&lock);
}

static void spinlock_tick(struct timer *timer)
{
    struct ticker *ticker = (struct ticker *)timer;
    ticker->fired++;
    increment();
    if (!ticker->stop)
        timer_start(timer, timebase() + microseconds_to_ticks(TICK_US));
}

struct rounds {
    u64 done[ORRERY_MAX_CPUS], ticks[ORRERY_MAX_CPUS];
};

// At least so many rounds, and until a tick has come in between.
static void spinlock_contend(struct bench_worker *worker)
{
    struct rounds *rounds = worker->argument;
    struct ticker ticker = {.timer.fire = spinlock_tick};
    const volatile u64 *fired = &ticker.fired;
    u64 begin = timebase(), done = 0;

    timer_start(&ticker.timer, timebase() + microseconds_to_ticks(TICK_US));
    for (; done < ROUNDS || (*fired == 0 && bench_waits(begin)); done++)
        increment();
    __atomic_store_n(&ticker.stop, true, __ATOMIC_RELEASE);
    timer_cancel(&ticker.timer);
    rounds->done[worker->cpu] = done;
    rounds->ticks[worker->cpu] = ticker.fired;
}

void bench_spinlock(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct rounds rounds = {0};
    u64 done = 0, ticks = 0;
    shared[0] = shared[1] = torn = 0;
    bench_on_cpus(bench_all_cpus(), spinlock_contend, &rounds, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        done += rounds.done[cpu];
        ticks += rounds.ticks[cpu];
    }
    bench_exact(done + ticks, shared[0], "increments under one lock, %u CPUs", cpu_count);
    bench_exact(0, torn, "  sections seen with another one inside");
    bench_range(cpu_count, UINT64_MAX, ticks, "  of them from timer interrupts");
}
