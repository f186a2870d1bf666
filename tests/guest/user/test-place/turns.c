// SPDX-License-Identifier: MIT
// How much of a CPU processes get that do not rest: by the kernel's account of each. What counts is
// what one gets while another gets so much, whatever else the host does meanwhile.
#include "tests.h"

#include <expect.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define ANY (~0UL)

static u64 ran(s64 pid)
{
    struct sys_process_info info = {0};

    return sys_process_info((u32)pid, &info) == 0 ? info.cpu_ticks : 0;
}

// Waits until one has run for so many ms more. What others have got meanwhile, in percent of that.
static u64 share_while(s64 one, u64 ms, s64 other)
{
    u64 one_before = ran(one), other_before = ran(other), wanted = time_from_us(ms * 1000);

    EXPECT(WAIT_FOR(ran(one) - one_before >= wanted));
    u64 one_got = ran(one) - one_before;
    return (ran(other) - other_before) * 100 / one_got;
}

// Does it get so much? What the host takes from one of them, which it then lacks, passes.
static bool share_gets(s64 one, u64 ms, s64 other, u64 least, u64 most)
{
    u64 share = share_while(one, ms, other);

    printf(" %llu %%", (unsigned long long)share);
    return share >= least && share <= most;
}

// A process that takes no event stays, and gets next to nothing beside one that may be there. It is
// as before when the CPU is in its mask again.
void test_ignore(void)
{
    s64 stays = start("ignore", 0, 1), belongs = start("ignore", 0, 1);
    struct sys_placement there = {.cpus = 1}, here = {.cpus = 2};

    printf("ignores its place: of the other's time before");
    EXPECT(WAIT_FOR(share_gets(belongs, 500, stays, 51, ANY)));
    EXPECT(sys_place((u32)stays, &there) == 0);
    thread_sleep_us(150000); // it has 100 ms
    printf(", meanwhile");
    EXPECT(WAIT_FOR(share_gets(belongs, 1000, stays, 0, 24)));
    EXPECT(sys_place((u32)stays, &here) == 0);
    printf(", afterwards");
    EXPECT(WAIT_FOR(share_gets(belongs, 500, stays, 51, ANY)));
    printf("\n");
    end(stays);
    end(belongs);
}

void test_priority(void)
{
    u32 cpu = cpus() - 1;
    s64 low = start("ignore", 0, cpu), other = start("ignore", 0, cpu);
    struct sys_placement placement = {.priority = PROCESS_LOW};
    struct sys_process_info info;

    EXPECT(sys_place((u32)low, &placement) == 0);
    EXPECT(sys_process_info((u32)low, &info) == 0 && info.priority == PROCESS_LOW);
    EXPECT(WAIT_FOR(share_gets(other, 1000, low, 0, 24)));
    placement.priority = PROCESS_HIGH;
    EXPECT(sys_place((u32)low, &placement) == 0);
    EXPECT(WAIT_FOR(share_gets(low, 1000, other, 0, 24)));
    printf(" of the time beside a process of higher priority\n");
    end(low);
    end(other);
}

void test_slice(void)
{
    u32 cpu = cpus() - 1;
    s64 one = start("ignore", 0, cpu), other = start("ignore", 0, cpu);
    struct sys_placement placement = {.slice_ms = 100};

    EXPECT(sys_place((u32)one, &placement) == 0);
    EXPECT(WAIT_FOR(share_gets(one, 2000, other, 3, 29)));
    printf(" of the time of one with slices of 100 ms, for one of 10 ms\n");
    end(one);
    end(other);
}
