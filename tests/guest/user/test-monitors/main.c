// SPDX-License-Identifier: MIT
// The master, and the roles of its children. Needs all rights.
#include "tests.h"

#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>
#include <user/scheduler.h>
#include <waiting.h>

u64 failures;

void check_is(const char *what, const char *file, int line, s64 got, s64 expected)
{
    if (got == expected)
        return;
    printf("FAILED %s:%d: %s is %ld, expected %ld\n", file, line, what, got, expected);
    failures++;
}

s64 spawn(const char *role, struct process_spawn *how)
{
    const char *argv[] = {"test-monitors", role, NULL};

    how->path = "bin/test-monitors";
    how->argv = argv;
    s64 pid = process_spawn(how);
    CHECK_IS(pid > 0, 1);
    return pid;
}

s32 end_of(s64 pid)
{
    s32 status = -1;

    CHECK_IS(process_wait((u32)pid, &status, patience()), pid);
    return status;
}

cap_t make(u64 bytes)
{
    s64 monitor = sys_monitor_create(&bytes);

    CHECK_IS(monitor > 0, 1);
    return (cap_t)monitor;
}

u64 map(cap_t memory)
{
    struct sys_region region = {.bytes = (u64)sys_memory_bytes(memory),
                                .kind = REGION_SHARED,
                                .prot = PROT_R,
                                .memory = memory};

    CHECK_IS(sys_region_create(0, &region), 0);
    return region.address;
}

struct sys_monitor_stat stat_of(cap_t monitor, u32 cpu)
{
    struct sys_monitor_stat stat = {0};

    CHECK_IS(sys_monitor_stat(monitor, cpu, &stat), 0);
    return stat;
}

u64 read_all(cap_t monitor, void (*look)(const struct sys_monitor_record *record))
{
    static struct sys_monitor_record records[128];
    u64 read = 0;
    s64 bytes;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        while ((bytes = sys_monitor_read(monitor, cpu, (u64)records, sizeof(records))) > 0) {
            for (u32 i = 0; i < (u64)bytes / sizeof(records[0]); i++)
                look(&records[i]);
            read += (u64)bytes / sizeof(records[0]);
        }
    }
    return read;
}

void check_sums(cap_t monitor, u64 read)
{
    u64 fired = 0, lost = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        fired += stat_of(monitor, cpu).fired;
        lost += stat_of(monitor, cpu).lost;
        CHECK_IS(stat_of(monitor, cpu).unread, 0);
    }
    CHECK_IS(read + lost, fired);
}

static const struct {
    const char *name;
    int (*function)(void);
} roles[] = {
    {"hoarder", child_hoards},   {"late", child_comes_late},
    {"hides", child_hides},      {"plain", child_without_rights},
    {"holder", child_holds},     {"greedy", child_beyond_limits},
    {"worker", child_works},     {"store", child_stores},
    {"victim", child_is_killed}, {"asker", child_asks},
    {"busy", child_is_busy},     {"liar", child_lies},
    {"forger", child_forges},    {"leaver", child_leaves_records},
    {"counter", child_counts},   {"client", child_is_client},
    {"fast", child_calls_fast},  {"slow", child_calls_slowly},
    {"brief", child_ends_soon},
};

// A nap that has ended before it began, as on a busy host, switches to nobody: then it is repeated.
static void the_example_sees_itself(void)
{
    s64 got = 0;

    for (u32 turn = 0; got == 0 && turn < 100; turn++)
        got = example();
    CHECK_IS(got >= (s64)sizeof(struct sys_monitor_record), 1);
}

int main(int argc, char **argv)
{
    for (u32 i = 0; argc > 1 && i < ARRAY_SIZE(roles); i++) {
        if (strcmp(argv[1], roles[i].name) == 0)
            return roles[i].function();
    }
    errors_change_nothing();
    limits_hold();
    some_are_kept_for_rights();
    nobody_hides_by_tracking_itself();
    the_terminated_answers_nobody();
    the_example_sees_itself();
    kinds_are_counted();
    counts_are_those_of_the_trace();
    processes_tell_of_themselves();
    what_is_told_is_taken();
    both_paths_of_calls_are_told_alike();
    what_is_told_stands_between_switches();
    calls_are_joined_by_their_ids();
    nobody_writes_what_is_mapped();
    clients_know_nothing_of_each_other();
    who_ends_meanwhile_is_not_tracked();
    the_killed_leave_nothing();
    printf("test-monitors: %s\n", failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
