// SPDX-License-Identifier: MIT
// Programs whose library follows: threads that yield, sleep and wait for a lock, new threads, and
// what is refused outside of the place.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define FOLLOWERS 6

static volatile bool over;
static struct mutex lock;
static u32 rounds[FOLLOWERS]; // atomic: how often each has come by

static s64 come_by(void *argument)
{
    u64 self = (u64)argument;

    while (!over) {
        if (self % 3 == 0)
            thread_yield();
        else if (self % 3 == 1)
            thread_sleep_us(500);
        else
            thread_park(time_after_us(300));
        mutex_lock(&lock);
        mutex_unlock(&lock);
        __atomic_fetch_add(&rounds[self], 1, __ATOMIC_RELAXED);
    }
    return (s64)self;
}

static bool all_on(struct thread *const *threads, u32 cpu)
{
    for (u32 i = 0; i < FOLLOWERS; i++)
        if (thread_cpu(threads[i]) != cpu)
            return false;
    return user_cpu() == cpu;
}

static bool place_self(u64 mask)
{
    struct sys_placement place = {.cpus = mask};

    return sys_place((u32)sys_process_pid(0), &place) == 0;
}

static s64 tell_cpu(void *argument)
{
    (void)argument;
    return user_cpu();
}

// New threads go where they may run, wherever they are wanted.
static void make_threads(u32 place)
{
    for (u32 wanted = 0; wanted <= cpus(); wanted++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct thread *thread;
        s64 cpu = -1;
        attributes.cpu = wanted < cpus() ? wanted : THREAD_HERE;
        EXPECT(thread_create(&thread, &attributes, tell_cpu, NULL) == 0);
        EXPECT(thread_join(thread, &cpu) == 0 && cpu == place);
    }
}

static void follow_to(struct thread *const *threads, u32 cpu)
{
    u32 other = (cpu + 1) % cpus();

    EXPECT(place_self(1UL << cpu));
    EXPECT(WAIT_FOR(all_on(threads, cpu)));
    for (u32 i = 0; i < FOLLOWERS; i++) {
        u32 before = __atomic_load_n(&rounds[i], __ATOMIC_RELAXED);
        EXPECT(WAIT_FOR(__atomic_load_n(&rounds[i], __ATOMIC_RELAXED) > before + 2));
    }
    EXPECT(all_on(threads, cpu));
    EXPECT(thread_move(threads[0], other) == E_PERM);
    EXPECT(thread_move_all(other) == E_PERM);
    make_threads(cpu);
}

int follow_place(void)
{
    struct thread *threads[FOLLOWERS];

    for (u64 i = 0; i < FOLLOWERS; i++)
        EXPECT(thread_create(&threads[i], NULL, come_by, (void *)i) == 0);
    for (u32 round = 0; round < 10; round++)
        follow_to(threads, round % cpus());
    EXPECT(place_self((2UL << (cpus() - 1)) - 1)); // wherever they like
    EXPECT(WAIT_FOR(thread_move(threads[0], 0) == 0));
    EXPECT(WAIT_FOR(thread_cpu(threads[0]) == 0));
    over = true;
    for (u64 i = 0; i < FOLLOWERS; i++) {
        s64 result = -1;
        EXPECT(thread_join(threads[i], &result) == 0 && result == (s64)i);
    }
    return expect_status();
}

// Neither the library nor the kernel makes a dispatcher outside of the place.
int be_refused(void)
{
    u32 here = user_cpu(), other = (here + 1) % cpus();

    EXPECT(place_self(1UL << here));
    EXPECT(user_dispatcher_start(other) == E_PERM);
    EXPECT(sys_dispatcher_create(other, USER_WINDOW) == E_PERM);
    EXPECT(user_dispatchers() == 1UL << here);
    EXPECT(place_self(1UL << here | 1UL << other));
    EXPECT(user_dispatcher_start(other) == 0);
    return expect_status();
}

void test_follow(void)
{
    EXPECT(wait_for(start("follow", RIGHT_PLACE, 0)) == 0);
    EXPECT(wait_for(start("follow", RIGHT_PLACE, cpus() - 1)) == 0);
    EXPECT(wait_for(start("refused", RIGHT_PLACE, 0)) == 0);
    EXPECT(wait_for(start("refused", RIGHT_PLACE, cpus() - 1)) == 0);
}
