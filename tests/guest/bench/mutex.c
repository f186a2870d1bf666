// SPDX-License-Identifier: MIT
// Mutexes and wait queues. A mutex has one owner at a time on all CPUs, asleep or about to sleep. A
// free one is had without waiting, a taken one is not. Who waits longest is woken first, and a
// deadline ends the wait of one in the middle.
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <kernel/wait.h>

#include "bench.h"
#include "benches.h"

#define ROUNDS 2000
#define NAP_EVERY 128 // rounds
#define SLEEPERS 5
#define IMPATIENT 2 // of them

// ---- one at a time -----------------------------------------------------------------------------

struct shared {
    struct mutex mutex;
    u64 inside, together; // owners now; how often there was another one
    u64 sum;              // added to in steps, which others would break
};

static void own(struct shared *shared, u32 round)
{
    if (__atomic_fetch_add(&shared->inside, 1, __ATOMIC_RELAXED) != 0)
        shared->together++;
    u64 sum = shared->sum;
    if (round % NAP_EVERY == 0)
        thread_sleep(microseconds_to_ticks(20));
    else if (round % 2 == 0)
        thread_yield();
    shared->sum = sum + 1;
    __atomic_fetch_sub(&shared->inside, 1, __ATOMIC_RELAXED);
}

static void own_in_turn(struct bench_worker *worker)
{
    struct shared *shared = worker->argument;
    for (u32 round = 0; round < ROUNDS; round++) {
        mutex_lock(&shared->mutex);
        own(shared, round);
        mutex_unlock(&shared->mutex);
    }
    worker->result = ROUNDS;
}

static void own_if_free(struct bench_worker *worker)
{
    struct shared *shared = worker->argument;
    for (u32 round = 0; round < ROUNDS; round++) {
        if (!mutex_try_lock(&shared->mutex)) {
            thread_yield();
            continue;
        }
        own(shared, round);
        mutex_unlock(&shared->mutex);
        worker->result++;
    }
}

static void exclusion(void (*function)(struct bench_worker *worker), const char *how)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct shared shared = {.mutex = MUTEX_INIT("bench", MUTEX_SERVICE)};
    u64 owned = 0;
    bench_on_cpus(bench_all_cpus(), function, &shared, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        owned += workers[cpu].result;
    bench_exact(owned, shared.sum, "%s, %u CPUs: added by its owners", how, cpu_count);
    bench_exact(0, shared.together, "  two owners at once");
    bench_range(1, (u64)ROUNDS * cpu_count, owned, "  times that it was owned");
}

static void tries(void)
{
    struct mutex outer = MUTEX_INIT("bench outer", MUTEX_SERVICE);
    struct mutex inner = MUTEX_INIT("bench inner", MUTEX_DEVICE);
    mutex_lock(&outer);
    mutex_lock(&inner);
    u64 results = (u64)mutex_try_lock(&outer) | (u64)mutex_try_lock(&inner) << 1;
    mutex_unlock(&inner);
    results |= (u64)mutex_try_lock(&inner) << 2;
    mutex_unlock(&inner);
    mutex_unlock(&outer);
    bench_exact(4, results, "try-lock: refused when taken, by oneself too; had when free");
}

// ---- who waits ---------------------------------------------------------------------------------

struct hall {
    struct spinlock lock;
    struct wait_queue queue;
    u32 waiting;
    u64 order; // of those who were woken, a digit each from the left
    u64 given_up;
};

struct sleeper {
    struct hall *hall;
    u32 number; // from 1
};

static void wait_in_line(void *argument)
{
    const struct sleeper *sleeper = argument;
    struct hall *hall = sleeper->hall;
    bool impatient = sleeper->number == IMPATIENT;
    u64 deadline = impatient ? timebase() + microseconds_to_ticks(500) : NO_DEADLINE;

    spin_lock(&hall->lock);
    hall->waiting++;
    if (wait_queue_sleep(&hall->queue, &hall->lock, deadline))
        hall->order = hall->order * 10 + sleeper->number;
    else
        hall->given_up = hall->given_up * 10 + sleeper->number;
    spin_unlock(&hall->lock);
}

static void wait_until(struct hall *hall, const u64 *what, u64 value)
{
    u64 begin = timebase();
    for (;;) {
        spin_lock(&hall->lock);
        bool there = *what == value;
        spin_unlock(&hall->lock);
        if (there || !bench_waits(begin))
            return;
        thread_yield();
    }
}

static void turns(void)
{
    struct hall hall = {.lock = SPINLOCK_INIT("bench hall", RANK_SERVICE)};
    struct sleeper sleepers[SLEEPERS];
    struct thread *threads[SLEEPERS];
    u64 woken = 0;

    for (u32 i = 0; i < SLEEPERS; i++) {
        sleepers[i] = (struct sleeper){&hall, i + 1};
        threads[i] = thread_create("bench-sleeper", wait_in_line, &sleepers[i], i % cpu_count,
                                   PRIORITY_NORMAL);
        if (threads[i] == NULL)
            continue;
        u64 begin = timebase();
        while (__atomic_load_n(&hall.waiting, __ATOMIC_RELAXED) <= i && bench_waits(begin))
            thread_yield();
    }
    wait_until(&hall, &hall.given_up, IMPATIENT);
    for (u64 order = 1, next = 2; next <= SLEEPERS + 1; next++) {
        spin_lock(&hall.lock);
        woken += wait_queue_wake(&hall.queue) != NULL;
        spin_unlock(&hall.lock);
        wait_until(&hall, &hall.order, order);
        next += next == IMPATIENT;
        order = order * 10 + next;
    }
    for (u32 i = 0; i < SLEEPERS; i++)
        if (threads[i] != NULL)
            thread_join(threads[i]);
    bench_exact(1345, hall.order, "woken in the order in which they came");
    bench_exact(IMPATIENT, hall.given_up, "  but one, whose deadline came first");
    bench_exact(SLEEPERS - 1, woken, "  each by one wake-up");
    spin_lock(&hall.lock);
    bool left = wait_queue_wake(&hall.queue) != NULL;
    spin_unlock(&hall.lock);
    bench_exact(0, left, "  and nobody is left");
}

void bench_mutex(void)
{
    exclusion(own_in_turn, "mutex_lock");
    exclusion(own_if_free, "mutex_try_lock");
    tries();
    turns();
}
