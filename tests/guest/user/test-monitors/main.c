// SPDX-License-Identifier: MIT
// The master, and the roles of its children. Needs all rights.
#include "tests.h"

#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>
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

static const struct {
    const char *name;
    int (*function)(void);
} roles[] = {
    {"hoarder", child_hoards},   {"late", child_comes_late},      {"plain", child_without_rights},
    {"holder", child_holds},     {"greedy", child_beyond_limits}, {"worker", child_works},
    {"fast", child_calls_fast},  {"slow", child_calls_slowly},    {"store", child_stores},
    {"victim", child_is_killed},
};

int main(int argc, char **argv)
{
    for (u32 i = 0; argc > 1 && i < ARRAY_SIZE(roles); i++) {
        if (strcmp(argv[1], roles[i].name) == 0)
            return roles[i].function();
    }
    errors_change_nothing();
    limits_hold();
    some_are_kept_for_rights();
    the_terminated_answers_nobody();
    CHECK_IS(example() >= (s64)sizeof(struct sys_monitor_record), 1);
    counts_are_those_of_the_trace();
    both_paths_of_calls_are_told_alike();
    nobody_writes_what_is_mapped();
    the_killed_leave_nothing();
    printf("test-monitors: %s\n", failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
