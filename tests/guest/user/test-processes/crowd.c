// SPDX-License-Identifier: MIT
// Many processes: at once, and one after the other with ends at any moment.
// Afterwards there is not one object more.
#include "tests.h"

#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define CROWD 1024
#define STORM 1000 // boot option storm=
#define ROUND 16
#define CLASSES 64

struct census {
    u32 live[CLASSES];
    u32 classes;
    u64 free_bytes;
};

static void take_census(struct census *census)
{
    struct sys_class class_info;
    struct sys_info info;

    for (census->classes = 0; census->classes < CLASSES; census->classes++) {
        if (sys_class_get(census->classes, &class_info) != 0)
            break;
        census->live[census->classes] = class_info.live;
    }
    sys_info(&info);
    census->free_bytes = info.free_bytes;
}

static bool more_objects(const struct census *before, const struct census *after)
{
    for (u32 i = 0; i < after->classes; i++) {
        if (after->live[i] > (i < before->classes ? before->live[i] : 0))
            return true;
    }
    return false;
}

static void tell_more(const struct census *before, const struct census *after)
{
    struct sys_class class_info;

    for (u32 i = 0; i < after->classes; i++) {
        u32 was = i < before->classes ? before->live[i] : 0;
        if (after->live[i] > was && sys_class_get(i, &class_info) == 0)
            printf("  %s (%s): %u, now %u\n", class_info.name, class_info.implementation, was,
                   after->live[i]);
    }
}

// Reapers need a moment.
static void expect_as_before(const struct census *before, u64 slack_bytes, const char *what)
{
    u64 begin = time_now(), deadline = patience();
    struct census after;

    do
        take_census(&after);
    while ((more_objects(before, &after) || after.free_bytes + slack_bytes < before->free_bytes) &&
           wait_more(deadline));
    printf("%llu ms until all is gone\n",
           (unsigned long long)((time_now() - begin) * 1000 / time_hz()));
    expect(!more_objects(before, &after), what, 0);
    if (more_objects(before, &after))
        tell_more(before, &after);
    expect(after.free_bytes + slack_bytes >= before->free_bytes, "memory is free again",
           (s64)(before->free_bytes - after.free_bytes));
}

void test_crowd(void)
{
    static s64 pids[CROWD];
    struct census before, full;
    u32 made = 0;

    wait_for(start("exit", 0, 0)); // what is made once and kept is made now
    take_census(&before);
    u64 wanted = option("crowd", CROWD);
    while (made < wanted && (pids[made] = start("sleep", 0, made % cpus())) > 0)
        made++;
    take_census(&full);
    printf("%u processes at once, %llu KB each\n", made,
           (unsigned long long)(before.free_bytes - full.free_bytes) / 1024 / (made ? made : 1));
    expect(made == wanted, "so many processes at once", made < CROWD ? pids[made] : 0);
    expect(live_objects("Process") == made + 1, "as many Process objects", live_objects("Process"));
    for (u32 i = 0; i < made; i++)
        expect(sys_process_kill((u32)pids[i], 5) == 0, "kill", i);
    for (u32 i = 0; i < made; i++) {
        s64 status = wait_for(pids[i]);
        expect(status == 5, "the status of a killed one", status);
    }
    expect_as_before(&before, 0x400000, "the same objects as before the crowd");
}

// Some end by themselves, others are ended in the middle of whatever they do.
static void storm_round(u32 round)
{
    s64 pids[ROUND];

    for (u32 i = 0; i < ROUND; i++)
        pids[i] = start(i % 2 ? "work" : "exit", i, (round + i) % cpus());
    for (u32 i = 1; i < ROUND; i += 2) {
        if (rand() % 4 == 0)
            thread_sleep_us((u64)rand() % 2000);
        if (pids[i] > 0)
            sys_process_kill((u32)pids[i], 9);
    }
    for (u32 i = 0; i < ROUND; i++) {
        s64 status = wait_for(pids[i]);
        expect(status == (i % 2 ? 9 : i), "an end in the storm", status);
    }
}

void test_storm(void)
{
    struct census before;
    u64 rounds = option("storm", STORM) / ROUND;

    storm_round(0); // what is made once and kept is made now
    thread_sleep_us(300000);
    take_census(&before);
    u64 begin = time_now();
    for (u32 round = 0; round < rounds; round++)
        storm_round(round);
    printf("%llu processes in %llu ms\n", (unsigned long long)rounds * ROUND,
           (unsigned long long)((time_now() - begin) * 1000 / time_hz()));
    expect_as_before(&before, 0x200000, "the same objects as before the storm");
}
