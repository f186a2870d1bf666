// SPDX-License-Identifier: MIT
// Runs the tests, or plays a part in them. Boot options: only=NAME, crowd=N, storm=N.
#include "tests.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/inspect.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#include "ready.h"

static u32 passed, failed;

void expect(bool condition, const char *what, s64 got)
{
    if (condition) {
        passed++;
    } else if (failed++ < 20) {
        printf("FAILED %s (%lld)\n", what, (long long)got);
    }
}

u64 option(const char *name, u64 otherwise)
{
    char text[32];

    return sys_option(name, text, sizeof(text)) == 0 ? strtoull(text, NULL, 0) : otherwise;
}

u32 cpus(void)
{
    struct sys_info info;

    sys_info(&info);
    return info.cpu_count;
}

static s64 start_with(const char *role, u64 argument, u32 cpu, u32 priority)
{
    char text[24];
    const char *const argv[] = {"test-processes", role, text, NULL};
    const struct process_grant grant = {SLOT_READY, ready_share()};
    struct process_spawn how = PROCESS_SPAWN;

    snprintf(text, sizeof(text), "%llu", (unsigned long long)argument);
    how.path = "bin/test-processes";
    how.argv = argv;
    how.cpu = cpu;
    how.priority = priority;
    how.grants = &grant;
    how.grant_count = 1;
    return process_spawn(&how);
}

s64 start(const char *role, u64 argument, u32 cpu)
{
    bool works = strcmp(role, "work") == 0; // everybody would wait for it
    return start_with(role, argument, cpu, works ? PROCESS_LOW : PROCESS_NORMAL);
}

s64 start_ready(const char *role, u32 cpu)
{
    ready_share();
    ready_forget();
    s64 pid = start(role, 0, cpu);
    expect(pid > 0 && ready_wait(), "a process is as its role says", pid);
    return pid;
}

s64 wait_for(s64 pid)
{
    s32 status = 0;

    if (pid < 0)
        return pid - 1000;
    s64 ended = process_wait((u32)pid, &status, patience());
    return ended == pid ? status : ended - 1000;
}

// A process that does not answer is reported after a second, and the next question finds it no
// different. `exact`: where an instruction is a nanosecond, so that a second is
// one whatever the host does.
static void test_stuck(void)
{
    static u8 buffer[4096];
    s64 pid = start_ready("stuck", cpus() - 1);

    for (u32 i = 0; i < 2; i++) {
        struct sys_inspect_request request = {.pid = (u32)pid, .operation = INSPECT_SCAN};
        u64 begin = time_now();
        s64 result = sys_process_inspect(&request, buffer, sizeof(buffer));
        expect(result == E_TIMEOUT || result == E_NOTSUP, "a stuck process", result);
        u64 ticks = time_now() - begin;
        expect(!option("exact", 0) || ticks < time_hz() * 11 / 10, "is told within a second",
               (s64)ticks);
    }
    sys_process_kill((u32)pid, 3);
    expect(wait_for(pid) == 3, "and can be ended", 0);
    struct sys_inspect_request gone = {.pid = (u32)pid, .operation = INSPECT_SCAN};
    expect(sys_process_inspect(&gone, buffer, sizeof(buffer)) == E_NOENT, "an ended process", 0);
}

static void test_list(void)
{
    static struct sys_process_info list[64];
    u64 cursor = 0;
    s64 pid = start("sleep", 0, 0);
    s64 bytes = sys_process_list(&cursor, list, sizeof(list));
    bool found = false;

    for (s64 i = 0; i < bytes / (s64)sizeof(list[0]); i++) {
        if (list[i].pid == pid)
            found = list[i].parent == 1 && list[i].rights == 0 &&
                    strcmp(list[i].name, "test-processes") == 0;
    }
    expect(found, "a child in the list", bytes);
    expect(sys_process_list(&cursor, list, sizeof(list)) == 0, "the list's end", 0);
    expect(sys_process_list(&cursor, list, 8) == E_INVAL, "no room for a record", 0);
    sys_process_kill((u32)pid, 1);
    expect(wait_for(pid) == 1, "its end", 0);
    expect(sys_process_kill((u32)pid, 1) == E_NOENT, "a second end", 0);
}

// What is no printable character of a name is shown as one.
static void test_names(void)
{
    const struct sys_process_new wanted = {.name = "a\033[2J\nb\x9b\177~", .priority = PROCESS_LOW};
    struct sys_process_info info;
    s64 cap = sys_process_create(&wanted);
    s64 pid = sys_process_pid((cap_t)cap);

    expect(sys_process_info((u32)pid, &info) == 0, "a process that has not started", pid);
    expect(strcmp(info.name, "a?[2J?b??~") == 0, "its name", 0);
    expect(info.pid == pid && info.parent == (u32)sys_process_pid(0), "its numbers", 0);
    expect(sys_process_rights((u32)pid) == info.rights, "its rights", 0);
    sys_cap_drop((cap_t)cap);
    expect(sys_process_info((u32)pid, &info) == E_NOENT, "it goes with its capability", 0);
    expect(sys_process_rights((u32)pid) == E_NOENT, "and so do its rights", 0);
    expect(sys_process_info(0, &info) == 0 && info.pid == (u32)sys_process_pid(0), "oneself", 0);
    expect(sys_process_rights(0) == info.rights, "one's own rights", 0);
}

// How long a process has run, ticks; 0: there is none.
static u64 ran(s64 pid)
{
    struct sys_process_info info;
    u64 cursor = 0;

    while (sys_process_list(&cursor, &info, sizeof(info)) > 0) {
        if (info.pid == pid)
            return info.cpu_ticks;
    }
    return 0;
}

// Whoever is kept waiting by more urgent processes that never rest gets a turn now and then,
// at every priority.
static void test_patience(void)
{
    u32 cpu = user_cpu();
    s64 busy[] = {start_with("spin", 0, cpu, PROCESS_NORMAL),
                  start_with("spin", 0, cpu, PROCESS_HIGH),
                  start_with("spin", 0, cpu, PROCESS_SERVER)};

    for (u32 i = 0; i < 3; i++) // the caller is one of those who wait
        thread_sleep_us(1000);
    expect(wait_for(start_with("exit", 5, cpu, PROCESS_LOW)) == 5, "the least urgent comes on", 0);
    expect(wait_for(start_with("exit", 6, cpu, PROCESS_NORMAL)) == 6, "others do too", 0);
    for (u32 i = 0; i < ARRAY_SIZE(busy); i++) {
        expect(ran(busy[i]) > 0, "who keeps others waiting runs", busy[i]);
        sys_process_kill((u32)busy[i], 4);
        expect(wait_for(busy[i]) == 4, "and can be ended", busy[i]);
    }
}

static const struct test {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"list", test_list},     {"names", test_names},       {"stuck", test_stuck},
    {"asking", test_asking}, {"patience", test_patience}, {"fpu", test_fpu},
    {"storm", test_storm},   {"crowd", test_crowd},
};

int main(int argc, char **argv)
{
    char only[32];

    if (argc > 2)
        return child_main(argv[1], strtoull(argv[2], NULL, 10));
    bool all = sys_option("only", only, sizeof(only)) != 0;
    for (u32 i = 0; i < ARRAY_SIZE(tests); i++) {
        if (all || strcmp(only, tests[i].name) == 0)
            tests[i].run();
    }
    printf("test-processes: %u passed, %u failed\n", passed, failed);
    return failed != 0;
}
