// SPDX-License-Identifier: MIT
// Threads, and what they wait for each other with: futexes, used as a C library's semaphores and
// mutexes use them.
#include <linux/futex.h>

#include "bench.h"

#define ROUNDS 1000UL
#define ALL ((BATCHES * ROUNDS) + 1)

static void wait_while(u32 *word, u32 value, u64 private)
{
    SYS(futex, word, FUTEX_WAIT | private, value, 0);
}

static void wake_one(u32 *word, u64 private)
{
    SYS(futex, word, FUTEX_WAKE | private, 1);
}

// ---- a word that says whose turn it is, of two processes ----------------------------------------

static u32 *turn; // 0: the parent's, 1: the child's

static void give_turn(u32 to)
{
    __atomic_store_n(turn, to, __ATOMIC_RELEASE);
    wake_one(turn, 0);
}

static void wait_turn(u32 whose)
{
    while (__atomic_load_n(turn, __ATOMIC_ACQUIRE) != whose)
        wait_while(turn, 1 - whose, 0);
}

static void take_turns(void *unused)
{
    (void)unused;
    for (u64 i = 0; i < ALL; i++) {
        wait_turn(1);
        give_turn(0);
    }
}

static void turn_and_back(void)
{
    give_turn(1);
    wait_turn(0);
}

// ---- semaphores of two threads ------------------------------------------------------------------

struct semaphore {
    u32 value;
    u32 waiters;
};

static struct semaphore there, back;

static void up(struct semaphore *semaphore)
{
    __atomic_fetch_add(&semaphore->value, 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&semaphore->waiters, __ATOMIC_SEQ_CST) != 0)
        wake_one(&semaphore->value, FUTEX_PRIVATE_FLAG);
}

static void down(struct semaphore *semaphore)
{
    u32 value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);

    for (;;) {
        while (value == 0) {
            __atomic_fetch_add(&semaphore->waiters, 1, __ATOMIC_SEQ_CST);
            wait_while(&semaphore->value, 0, FUTEX_PRIVATE_FLAG);
            __atomic_fetch_sub(&semaphore->waiters, 1, __ATOMIC_SEQ_CST);
            value = __atomic_load_n(&semaphore->value, __ATOMIC_RELAXED);
        }
        if (__atomic_compare_exchange_n(&semaphore->value, &value, value - 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return;
    }
}

static void answer(void *unused)
{
    (void)unused;
    for (u64 i = 0; i < ALL; i++) {
        down(&there);
        up(&back);
    }
}

static void round_trip(void)
{
    up(&there);
    down(&back);
}

// ---- mutexes ------------------------------------------------------------------------------------

static u32 mutex; // 0: free, 1: taken, 2: and somebody may wait

static void lock(void)
{
    u32 free = 0;

    if (__atomic_compare_exchange_n(&mutex, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&mutex, 2, __ATOMIC_ACQUIRE) != 0)
        wait_while(&mutex, 2, FUTEX_PRIVATE_FLAG);
}

static void unlock(void)
{
    if (__atomic_exchange_n(&mutex, 0, __ATOMIC_RELEASE) == 2)
        wake_one(&mutex, FUTEX_PRIVATE_FLAG);
}

static void lock_unlock(void)
{
    lock();
    unlock();
}

static void yield_often(void *unused)
{
    (void)unused;
    for (u64 i = 0; i < ROUNDS; i++)
        SYS(sched_yield);
}

static void contend(void *unused)
{
    (void)unused;
    for (u64 i = 0; i < ROUNDS; i++) {
        lock();
        SYS(sched_yield); // the other one finds it taken
        unlock();
    }
}

// Measures an operation of which two threads do ROUNDS each at once.
static void two_tasks(const char *name, void (*function)(void *))
{
    static struct task tasks[2];
    u64 least = ~0UL;

    for (u32 batch = 0; batch < BATCHES; batch++) {
        u64 begin = now();
        for (u32 i = 0; i < 2; i++)
            task_begin(&tasks[i], function, NULL);
        for (u32 i = 0; i < 2; i++)
            task_join(&tasks[i]);
        u64 ns = now() - begin;
        least = ns < least ? ns : least;
    }
    tell(name, least, 2 * ROUNDS);
}

// -------------------------------------------------------------------------------------------------

static void nothing(void *unused)
{
    (void)unused;
}

static void create_join(void)
{
    static struct task task;

    task_begin(&task, nothing, NULL);
    task_join(&task);
}

void bench_threads(void)
{
    static struct task task;

    turn = pages(PAGE, 1);
    u64 id = process(take_turns, NULL);
    measure("ipc.call_cross_0", ROUNDS, turn_and_back);
    process_wait(id);
    task_begin(&task, answer, NULL);
    measure("user.semaphore_round_trip", ROUNDS, round_trip);
    task_join(&task);
    two_tasks("user.thread_switch", yield_often);
    measure("user.lock_free", ROUNDS, lock_unlock);
    two_tasks("user.lock_contended", contend);
    measure("user.thread_create_join", 100, create_join);
}
