// SPDX-License-Identifier: MIT
// Three clients, processes of their own, watch the same threads side by side while others are
// killed at random. Each finds its sums exact, each CPU's records in order, and nobody else's ids.
#include "tests.h"

#include <stdio.h>
#include <unistd.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define CLIENTS 3
#define RECORDS 100000 // of all clients together, at least
#define RING 0x20000
#define BUSY_US 5000 // that a busy process lives

enum watched { SELF, MASTER, KERNEL, BUSY, WATCHED };

static u32 base; // of a client's ids, which no other client has

static void look(const struct sys_monitor_record *record, u32 cpu, u64 found[WATCHED])
{
    static u64 last[ORRERY_MAX_CPUS];
    u32 which = record->id - base;

    CHECK_IS(which < WATCHED, 1);
    CHECK_IS((1ULL << record->kind & ALL_KINDS) != 0, 1);
    CHECK_IS(record->time >= last[cpu], 1);
    last[cpu] = record->time;
    found[which % WATCHED]++;
}

static u64 take(cap_t monitor, u64 found[WATCHED])
{
    static struct sys_monitor_record records[512];
    u64 taken = 0;
    s64 bytes;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        do { // its own reads are told, too: there is always one more
            bytes = sys_monitor_read(monitor, cpu, (u64)records, sizeof(records));
            u64 count = bytes > 0 ? (u64)bytes / sizeof(records[0]) : 0;
            for (u64 i = 0; i < count; i++)
                look(&records[i], cpu, found);
            taken += count;
        } while (bytes == sizeof(records));
        CHECK_IS(bytes >= 0, 1);
    }
    return taken;
}

int child_is_client(void)
{
    u64 found[WATCHED] = {0}, read = 0, deadline = patience();
    cap_t monitor = make(RING);

    base = (u32)getpid() * WATCHED;
    CHECK_IS(sys_monitor_track(monitor, 0, 0, base + SELF, ALL_KINDS), 0);
    CHECK_IS(sys_monitor_track_pid(monitor, 1, 0, base + MASTER, ALL_KINDS), 0);
    CHECK_IS(sys_monitor_track_pid(monitor, 0, 0, base + KERNEL, ALL_KINDS), 0);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    while (read < RECORDS / CLIENTS && failures == 0 && wait_more(deadline)) {
        struct process_spawn how = PROCESS_SPAWN;
        s64 pid = spawn("busy", &how);
        CHECK_IS(sys_monitor_track_pid(monitor, (u32)pid, 0, base + BUSY, ALL_KINDS), 0);
        thread_sleep_us(BUSY_US);
        CHECK_IS(sys_process_kill((u32)pid, 9), 0);
        read += take(monitor, found);
        CHECK_IS(end_of(pid), 9);
    }
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    read += take(monitor, found);
    check_sums(monitor, read);
    for (u32 which = 0; which < WATCHED; which++)
        CHECK_IS(found[which] > 0, 1);
    return failures != 0 || read < RECORDS / CLIENTS;
}

// The kernel's memory is looked at by the_killed_leave_nothing.
void clients_know_nothing_of_each_other(void)
{
    s64 clients[CLIENTS];

    for (u32 i = 0; i < CLIENTS; i++) {
        struct process_spawn how = PROCESS_SPAWN;
        how.rights = PROCESS_SAME_RIGHTS;
        how.cpu = i % user_cpu_count();
        clients[i] = spawn("client", &how);
    }
    kill_victims(10);
    for (u32 i = 0; i < CLIENTS; i++)
        CHECK_IS(end_of(clients[i]), 0);
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 0), 1);
    printf("test-monitors: %d clients have read %d records each\n", CLIENTS, RECORDS / CLIENTS);
}
