// SPDX-License-Identifier: MIT
// Creating, joining, detaching, parking, sleeping, moving.
#include "tests.h"

#include <errno.h>
#include <string.h>
#include <waiting.h>

static s64 twice(void *argument)
{
    return 2 * (s64)argument;
}

static void creating(void)
{
    struct thread *threads[40];
    for (s64 i = 0; i < 40; i++)
        EXPECT(thread_create(&threads[i], NULL, twice, (void *)i) == 0);
    for (s64 i = 0; i < 40; i++) {
        s64 result;
        EXPECT(thread_join(threads[i], &result) == 0 && result == 2 * i);
    }
    struct thread_attributes wrong = THREAD_ATTRIBUTES;
    wrong.priority = THREAD_PRIORITIES;
    EXPECT(thread_create(NULL, &wrong, twice, NULL) == E_INVAL);
    wrong = (struct thread_attributes)THREAD_ATTRIBUTES;
    wrong.cpu = 64;
    EXPECT(thread_create(NULL, &wrong, twice, NULL) == E_INVAL);
    wrong = (struct thread_attributes)THREAD_ATTRIBUTES;
    wrong.stack_bytes = 1;
    EXPECT(thread_create(NULL, &wrong, twice, NULL) == E_INVAL);
    EXPECT(thread_join(thread_current(), NULL) == E_INVAL);
}

static s64 own_errno(void *argument)
{
    errno = (int)(s64)argument;
    thread_yield();
    thread_set(0, argument);
    thread_yield();
    return errno == (int)(s64)argument && thread_get(0) == argument;
}

static void separate(void)
{
    struct thread *threads[8];
    s64 slot = thread_slot();
    EXPECT(slot == 0);
    for (s64 i = 0; i < 8; i++)
        EXPECT(thread_create(&threads[i], NULL, own_errno, (void *)(i + 1)) == 0);
    for (u32 i = 0; i < 8; i++) {
        s64 result = 0;
        EXPECT(thread_join(threads[i], &result) == 0 && result == 1);
    }
}

static s64 set_flag(void *argument)
{
    __atomic_store_n((u32 *)argument, 1, __ATOMIC_RELEASE);
    return 0;
}

static void detached(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    u32 flag = 0;
    attributes.detached = true;
    EXPECT(thread_create(NULL, &attributes, set_flag, &flag) == 0);
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        thread_yield();
    struct thread *thread;
    flag = 0;
    EXPECT(thread_create(&thread, NULL, set_flag, &flag) == 0);
    EXPECT(thread_detach(thread) == 0);
    while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
        thread_yield();
}

static void sleeping(void)
{
    u64 begin = time_now();
    thread_sleep_us(20000);
    u64 slept = time_to_us(time_now() - begin);
    EXPECT(slept >= 20000);
    EXPECT(!thread_park(time_after_us(1000)));
    thread_unpark(thread_current()); // remembered
    EXPECT(thread_park(THREAD_FOREVER));
    EXPECT(!thread_park(time_after_us(1)));
}

static s64 wake_later(void *argument)
{
    thread_sleep_us(5000);
    thread_unpark(argument);
    return 0;
}

static void parking(void)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct thread *waker;
        attributes.cpu = cpu;
        EXPECT(thread_create(&waker, &attributes, wake_later, thread_current()) == 0);
        EXPECT(thread_park(patience()));
        EXPECT(thread_join(waker, NULL) == 0);
    }
}

static s64 tour(void *argument)
{
    s64 right = 0;
    double sum = 0;
    for (u32 round = 0; round < 20; round++) {
        u32 cpu = round % user_cpu_count();
        sum += 0.5;
        thread_move(thread_current(), cpu);
        right += user_cpu() == cpu && thread_cpu(thread_current()) == cpu;
    }
    return right == 20 && sum == 10 && argument == NULL;
}

static s64 stay(void *argument)
{
    while (!__atomic_load_n((u32 *)argument, __ATOMIC_ACQUIRE))
        thread_yield();
    return user_cpu();
}

static void moving(void)
{
    struct thread *threads[6];
    for (u32 i = 0; i < 6; i++)
        EXPECT(thread_create(&threads[i], NULL, tour, NULL) == 0);
    for (u32 i = 0; i < 6; i++) {
        s64 result = 0;
        EXPECT(thread_join(threads[i], &result) == 0 && result == 1);
    }
    u32 last = user_cpu_count() - 1, end = 0;
    EXPECT(thread_create(&threads[0], NULL, stay, &end) == 0);
    thread_yield();
    EXPECT(thread_move(threads[0], last) == 0);
    EXPECT(WAIT_FOR(thread_cpu(threads[0]) == last));
    __atomic_store_n(&end, 1, __ATOMIC_RELEASE);
    s64 cpu = -1;
    EXPECT(thread_join(threads[0], &cpu) == 0 && cpu == last);
    EXPECT(thread_move(thread_current(), ORRERY_MAX_CPUS) == E_INVAL);
}

static void listing(void)
{
    struct thread_info threads[64];
    u64 cursor = 0;
    s64 bytes = thread_list(&cursor, threads, sizeof threads);
    bool found = false;
    for (u64 i = 0; i < (u64)bytes / sizeof *threads; i++)
        found |= strcmp(threads[i].name, "main") == 0 && threads[i].state == THREAD_RUNNING;
    EXPECT(bytes > 0 && found);
    EXPECT(thread_list(&cursor, threads, sizeof threads) == 0);
}

void test_basics(void)
{
    creating();
    separate();
    detached();
    sleeping();
    parking();
    moving();
    listing();
}
