// SPDX-License-Identifier: MIT
// Priorities, preemption by them and by time, registers over preemption.
#include "tests.h"

#include <waiting.h>

static u32 trail[8], trail_length;

static s64 note(void *argument)
{
    trail[__atomic_fetch_add(&trail_length, 1, __ATOMIC_RELAXED) % 8] = (u32)(u64)argument;
    return 0;
}

static void by_priority(void)
{
    struct thread *threads[3];
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    EXPECT(thread_set_priority(thread_current(), THREAD_PRIORITIES - 1) == 0);
    for (u64 i = 0; i < 3; i++) {
        attributes.priority = (u32)(1 + i);
        EXPECT(thread_create(&threads[i], &attributes, note, (void *)i) == 0);
    }
    EXPECT(trail_length == 0); // all of them wait for the caller
    for (u32 i = 0; i < 3; i++)
        EXPECT(thread_join(threads[i], NULL) == 0);
    EXPECT(trail[0] == 2 && trail[1] == 1 && trail[2] == 0);
    EXPECT(thread_set_priority(thread_current(), THREAD_PRIORITY_DEFAULT) == 0);
    attributes.priority = THREAD_PRIORITY_DEFAULT + 1;
    EXPECT(thread_create(&threads[0], &attributes, note, NULL) == 0);
    EXPECT(trail_length == 4); // it has gone first
    EXPECT(thread_join(threads[0], NULL) == 0);
}

struct spinner {
    u32 *stop;
    u64 rounds;
    bool spoilt;
};

// Never gives its CPU up; its registers, floating-point ones too, must survive that it is taken.
static s64 spin(void *argument)
{
    struct spinner *spinner = argument;
    double a = 1, b = (double)(u64)argument;
    u64 x = (u64)argument;
    while (!__atomic_load_n(spinner->stop, __ATOMIC_RELAXED)) {
        a += 0.5;
        x = x * 3 + 1;
        x = (x - 1) / 3 == (u64)argument ? (u64)argument : 0;
        spinner->rounds++;
        if (x != (u64)argument || b != (double)(u64)argument)
            spinner->spoilt = true;
    }
    if (a != 1 + 0.5 * (double)spinner->rounds)
        spinner->spoilt = true;
    return 0;
}

static u64 preemptions(void)
{
    struct thread_stat stat;
    thread_stat(user_cpu(), &stat);
    return stat.preemptions;
}

// Each at least a third of it: a slice may be of little use while the host runs something else.
static bool have_their_shares(const struct spinner spinners[3])
{
    u64 all = 0, least = UINT64_MAX;
    for (u32 i = 0; i < 3; i++) {
        u64 rounds = __atomic_load_n(&spinners[i].rounds, __ATOMIC_RELAXED);
        all += rounds;
        least = rounds < least ? rounds : least;
    }
    return least * 3 >= all / 3 && all > 0;
}

static void by_time(void)
{
    struct spinner spinners[3] = {0};
    u64 before = preemptions();
    struct thread *threads[3];
    u32 stop = 0;
    for (u32 i = 0; i < 3; i++) {
        spinners[i].stop = &stop;
        EXPECT(thread_create(&threads[i], NULL, spin, &spinners[i]) == 0);
    }
    EXPECT(WAIT_FOR(preemptions() > before + 5 && have_their_shares(spinners)));
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (u32 i = 0; i < 3; i++) {
        EXPECT(thread_join(threads[i], NULL) == 0);
        EXPECT(!spinners[i].spoilt);
    }
}

// A thread of lower priority gets nothing while one of higher priority runs,
// and all of it when that sleeps.
static void by_sleep(void)
{
    struct spinner spinner = {0};
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;
    u32 stop = 0;
    spinner.stop = &stop;
    attributes.priority = 1;
    EXPECT(thread_create(&thread, &attributes, spin, &spinner) == 0);
    EXPECT(__atomic_load_n(&spinner.rounds, __ATOMIC_RELAXED) == 0);
    u64 before = preemptions();
    // Of the spinner, which never gives the CPU away;
    // none when the host let the time pass before it had it.
    EXPECT(WAIT_FOR(preemptions() >= before + 10));
    EXPECT(__atomic_load_n(&spinner.rounds, __ATOMIC_RELAXED) > 0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    EXPECT(thread_join(thread, NULL) == 0 && !spinner.spoilt);
}

void test_order(void)
{
    by_priority();
    by_time();
    by_sleep();
}
