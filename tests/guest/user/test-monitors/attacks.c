// SPDX-License-Identifier: MIT
// Processes that store where they must not, and that are killed at any moment.
#include "tests.h"

#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define ROUNDS 60
#define SLACK 0x400000 // what allocators of CPUs may hold

// Ends by its store, not by its return.
int child_stores(void)
{
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN);
    cap_t memory = (cap_t)sys_monitor_map(monitor);
    struct sys_region region = {
        .bytes = 4096, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = memory};

    CHECK_IS(sys_region_create(0, &region), E_PERM);
    u64 address = map(memory);
    CHECK_IS(sys_region_protect(address, 4096, PROT_R | PROT_W), E_PERM);
    CHECK_IS(sys_monitor_stat(monitor, 0, (struct sys_monitor_stat *)address), E_FAULT);
    if (failures == 0)
        *(volatile u64 *)address = 1;
    return 1;
}

// What is mapped outlives the monitor, a copy of one's own changes nothing.
static void mappings_outlive_it(void)
{
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN);
    cap_t memory = (cap_t)sys_monitor_map(monitor);
    struct sys_region copy = {
        .bytes = 4096, .kind = REGION_PRIVATE, .prot = PROT_R | PROT_W, .memory = memory};
    const struct sys_monitor_position *position = (void *)map(memory);

    CHECK_IS(sys_region_create(0, &copy), 0);
    ((volatile struct sys_monitor_position *)copy.address)->written = 77;
    CHECK_IS(position->written, 0);
    CHECK_IS(stat_of(monitor, 0).unread, 0);
    sys_cap_drop(memory);
    CHECK_IS(sys_monitor_terminate(monitor), 0);
    sys_cap_drop(monitor);
    thread_sleep_us(20000);
    CHECK_IS(*(volatile const u64 *)&position->written, 0);
    CHECK_IS(sys_region_destroy((u64)position), 0);
    CHECK_IS(sys_region_destroy(copy.address), 0);
}

void nobody_writes_what_is_mapped(void)
{
    struct process_spawn how = PROCESS_SPAWN;

    CHECK_IS(end_of(spawn("store", &how)), STATUS_KILLED(0x300));
    mappings_outlive_it();
}

// ---- killed -------------------------------------------------------------------------------------

// Monitors itself, its parent and the kernel, and reads, until it is killed.
int child_is_killed(void)
{
    static struct sys_monitor_record records[128];

    for (;;) {
        cap_t monitor = make(0x8000);
        cap_t memory = (cap_t)sys_monitor_map(monitor);
        u64 address = map(memory);
        sys_cap_drop(memory);
        sys_monitor_track(monitor, 0, 0, 1, ALL_KINDS);
        sys_monitor_track_pid(monitor, 1, 0, 2, ALL_KINDS);
        sys_monitor_track_pid(monitor, 0, 0, 3, ALL_KINDS);
        sys_monitor_resume(monitor);
        for (u32 i = 0; i < 20; i++) {
            for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
                sys_monitor_read(monitor, cpu, (u64)records, sizeof(records));
            thread_sleep_us(50);
        }
        sys_region_destroy(address);
        if ((address >> 12 & 1) != 0)
            sys_monitor_terminate(monitor);
        sys_cap_drop(monitor);
    }
}

static u32 next_random(u32 below)
{
    static u32 state = 12345;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

static u64 free_bytes(void)
{
    struct sys_info info;
    sys_info(&info);
    return info.free_bytes;
}

// ---- that end while they get tracks -------------------------------------------------------------

int child_ends_soon(void)
{
    thread_sleep_us(2000);
    return 0;
}

// Tracked and untracked until it has ended: its end comes at any moment of that. What it leaves, a
// track of nobody, would be removed with the monitor, from memory that others have by then.
void who_ends_meanwhile_is_not_tracked(void)
{
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 0), 1);
    for (u32 round = 0; round < ROUNDS; round++) {
        struct process_spawn how = PROCESS_SPAWN;
        cap_t monitor = make(SYS_MONITOR_BYTES_MIN);
        s64 error;

        CHECK_IS(sys_monitor_resume(monitor), 0);
        how.cpu = round % user_cpu_count();
        s64 pid = spawn("brief", &how);
        do {
            error = sys_monitor_track_pid(monitor, (u32)pid, 0, 1, ALL_KINDS);
            if (error == 0)
                sys_monitor_untrack(monitor, (u32)pid, 0);
        } while (error == 0);
        CHECK_IS(error, E_NOENT);
        CHECK_IS(end_of(pid), 0);
        CHECK_IS(sys_monitor_terminate(monitor), 0);
        sys_cap_drop(monitor);
    }
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 0), 1);
}

void kill_victims(u32 rounds)
{
    for (u32 round = 0; round < rounds; round++) {
        struct process_spawn how = PROCESS_SPAWN;
        s64 pid[2];
        how.rights = PROCESS_SAME_RIGHTS;
        for (u32 i = 0; i < 2; i++) {
            how.cpu = (round + i) % user_cpu_count();
            pid[i] = spawn("victim", &how);
        }
        thread_sleep_us(1000 + next_random(20000));
        for (u32 i = 0; i < 2; i++) {
            CHECK_IS(sys_process_kill((u32)pid[i], 9), 0);
            CHECK_IS(end_of(pid[i]), 9);
        }
    }
}

void the_killed_leave_nothing(void)
{
    cap_t monitor = make(0x10000);
    u64 records = 0, fired = 0, lost = 0;

    CHECK_IS(sys_monitor_track(monitor, 0, 0, 5, ALL_KINDS), 0);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    kill_victims(4);
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 1), 1);
    u64 before = free_bytes();
    kill_victims(ROUNDS);
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 1), 1);
    CHECK_IS(WAIT_FOR(free_bytes() + SLACK > before), 1);
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        static struct sys_monitor_record some[100];
        s64 bytes;
        while ((bytes = sys_monitor_read(monitor, cpu, (u64)some, sizeof(some))) > 0) {
            records += (u64)bytes / sizeof(some[0]);
            for (u32 i = 0; i < (u64)bytes / sizeof(some[0]); i++)
                CHECK_IS(some[i].id, 5);
        }
        fired += stat_of(monitor, cpu).fired;
        lost += stat_of(monitor, cpu).lost;
    }
    CHECK_IS(records + lost, fired);
    CHECK_IS(sys_cap_drop(monitor), 0);
    printf("test-monitors: %d processes killed; %lu records read, %lu lost\n", 2 * (ROUNDS + 4),
           records, lost);
}
