// SPDX-License-Identifier: MIT
// Sleep locks: exclusion under contention on all CPUs, conditions, semaphores, time-outs.
#include "tests.h"

#include <waiting.h>

#define THREADS 8
#define ROUNDS 2000

static struct mutex mutex;
static u64 counter, inside;
static u64 wrong; // atomic

static s64 count_up(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < ROUNDS; i++) {
        mutex_lock(&mutex);
        if (inside++)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        u64 seen = counter;
        if (i % 64 == 0)
            thread_yield(); // the others run into the lock
        counter = seen + 1;
        inside--;
        mutex_unlock(&mutex);
    }
    return 0;
}

static void run_everywhere(struct thread **threads, u32 count, thread_function function)
{
    for (u32 i = 0; i < count; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        EXPECT(thread_create(&threads[i], &attributes, function, (void *)(u64)i) == 0);
    }
    for (u32 i = 0; i < count; i++)
        EXPECT(thread_join(threads[i], NULL) == 0);
}

static void exclusion(void)
{
    struct thread *threads[THREADS];
    run_everywhere(threads, THREADS, count_up);
    EXPECT(counter == THREADS * ROUNDS && wrong == 0 && mutex.word == 0);
    EXPECT(mutex_try(&mutex) && mutex_held(&mutex) && !mutex_try(&mutex));
    mutex_unlock(&mutex);
    static struct recursive_mutex recursive;
    recursive_mutex_lock(&recursive);
    recursive_mutex_lock(&recursive);
    recursive_mutex_unlock(&recursive);
    EXPECT(mutex_held(&recursive.mutex));
    recursive_mutex_unlock(&recursive);
    EXPECT(!mutex_held(&recursive.mutex));
}

static struct semaphore held, enough;

static s64 hold(void *argument)
{
    (void)argument;
    mutex_lock(&mutex);
    semaphore_up(&held);
    semaphore_down(&enough);
    mutex_unlock(&mutex);
    return 0;
}

static void time_outs(void)
{
    struct thread *thread;
    EXPECT(thread_create(&thread, NULL, hold, NULL) == 0);
    semaphore_down(&held);
    EXPECT(mutex_lock_until(&mutex, time_after_us(1000)) == E_TIMEOUT);
    semaphore_up(&enough);
    EXPECT(mutex_lock_until(&mutex, patience()) == 0);
    struct condition never = {0};
    EXPECT(condition_wait_until(&never, &mutex, time_after_us(1000)) == E_TIMEOUT);
    EXPECT(mutex_held(&mutex));
    mutex_unlock(&mutex);
    EXPECT(semaphore_down_until(&held, time_after_us(1000)) == E_TIMEOUT);
    semaphore_up(&held);
    EXPECT(semaphore_down_until(&held, time_after_us(1000)) == 0);
    EXPECT(thread_join(thread, NULL) == 0);
}

// A queue of one place between producers and consumers.
static struct condition not_full, not_empty;
static u64 place, consumed;

static s64 produce_or_consume(void *argument)
{
    bool producer = (u64)argument % 2;
    for (u32 i = 0; i < ROUNDS / 4; i++) {
        mutex_lock(&mutex);
        while ((place == 0) != producer)
            condition_wait(producer ? &not_full : &not_empty, &mutex);
        consumed += producer ? 0 : place;
        place = producer ? 1 : 0;
        condition_signal(producer ? &not_empty : &not_full);
        mutex_unlock(&mutex);
    }
    return 0;
}

static struct semaphore first, second;

static s64 ping_pong(void *argument)
{
    bool even = (u64)argument == 0;
    for (u32 i = 0; i < ROUNDS / 4; i++) {
        semaphore_down(even ? &first : &second);
        semaphore_up(even ? &second : &first);
    }
    return 0;
}

static u32 calls;

static void call_once(void)
{
    calls++;
    thread_sleep_us(1000);
}

static s64 once(void *argument)
{
    static struct once only;
    (void)argument;
    once_call(&only, call_once);
    if (calls != 1)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    return 0;
}

static bool released;
static struct condition release;

static s64 wait_for_release(void *argument)
{
    (void)argument;
    mutex_lock(&mutex);
    while (!released)
        condition_wait(&release, &mutex);
    mutex_unlock(&mutex);
    return 0;
}

static s64 release_all(void *argument)
{
    if (argument)
        return wait_for_release(argument);
    thread_sleep_us(10000);
    mutex_lock(&mutex);
    released = true;
    condition_broadcast(&release);
    mutex_unlock(&mutex);
    return 0;
}

void test_locks(void)
{
    struct thread *threads[THREADS];
    exclusion();
    time_outs();
    run_everywhere(threads, THREADS, produce_or_consume);
    EXPECT(consumed == THREADS / 2 * (ROUNDS / 4) && place == 0);
    semaphore_up(&first);
    run_everywhere(threads, 2, ping_pong);
    EXPECT(first.count == 1 && second.count == 0);
    run_everywhere(threads, THREADS, once);
    run_everywhere(threads, THREADS, release_all);
    EXPECT(calls == 1 && wrong == 0);
}
