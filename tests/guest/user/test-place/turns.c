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

// A process that takes no event stays, and gets next to nothing beside one that may be there. It is
// as before when the CPU is in its mask again.
void test_ignore(void)
{
    s64 stays = start("ignore", 0, 1), belongs = start("ignore", 0, 1);
    struct sys_placement there = {.cpus = 1}, here = {.cpus = 2};

    u64 before = share_while(belongs, 500, stays);
    EXPECT(sys_place((u32)stays, &there) == 0);
    thread_sleep_us(150000); // it has 100 ms
    u64 lowered = share_while(belongs, 1000, stays);
    EXPECT(sys_place((u32)stays, &here) == 0);
    u64 again = share_while(belongs, 500, stays);
    printf("ignores its place: %llu %% of the other's time before, %llu %% meanwhile, "
           "%llu %% afterwards\n",
           (unsigned long long)before, (unsigned long long)lowered, (unsigned long long)again);
    EXPECT(before > 50 && lowered < 25 && again > 50);
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
    EXPECT(share_while(other, 1000, low) < 25);
    placement.priority = PROCESS_HIGH;
    EXPECT(sys_place((u32)low, &placement) == 0);
    EXPECT(share_while(low, 1000, other) < 25);
    end(low);
    end(other);
}

void test_slice(void)
{
    u32 cpu = cpus() - 1;
    s64 one = start("ignore", 0, cpu), other = start("ignore", 0, cpu);
    struct sys_placement placement = {.slice_ms = 100};

    EXPECT(sys_place((u32)one, &placement) == 0);
    u64 share = share_while(one, 2000, other);
    printf("slices of 100 and 10 ms: the other gets %llu %% of the time\n",
           (unsigned long long)share);
    EXPECT(share > 2 && share < 30);
    end(one);
    end(other);
}
