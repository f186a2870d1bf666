// SPDX-License-Identifier: MIT
// Each attempt runs in a process of its own, without any right; then random system calls. All the
// time the kernel, and this process, must go on as if nothing were. Boot options count=N: random
// calls (default 1000000); rights=N: RIGHT_* of those who make them, which can then disturb others,
// but still break nothing (default 0).
#include "attempts.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define KILL_AFTER_US 100000
#define CALLS_A_PROCESS 4000
#define CALLS_DEFAULT 1000000

static u32 passed, failed;
static u32 random_rights; // of processes that make random calls

static void verdict(bool good, const char *name, s64 status)
{
    if (good) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL %s: ended with %#llx\n", name, (unsigned long long)status);
}

static s64 start(const char *kind, const char *argument, struct process_grant grant, u32 rights)
{
    const char *const argv[] = {"test-isolation", kind, argument, NULL};
    struct process_spawn how = PROCESS_SPAWN;

    how.path = "bin/test-isolation";
    how.argv = argv;
    how.grants = &grant;
    how.grant_count = 1;
    how.rights = rights;
    return process_spawn(&how);
}

static s64 wait_for(s64 pid)
{
    s32 status = 0;

    if (pid < 0)
        return pid;
    s64 ended = process_wait((u32)pid, &status, patience());
    return ended == pid ? status : ended;
}

static bool as_expected(s64 status, s32 expected)
{
    if (expected == ANY_END)
        return status == 0 || (status & STATUS_KILLED(0)) != 0;
    if (expected == ANY_EXCEPTION)
        return status > STATUS_KILLED(0) && status < STATUS_KILLED(0x2000);
    return status == expected;
}

static void run(const char *kind, u32 index, const char *name, s32 expected)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", index);
    s64 pid = start(kind, text, (struct process_grant){SLOT_VICTIM, victim()}, 0);
    if (pid > 0 && expected == STATUS_BY_PARENT) {
        thread_sleep_us(KILL_AFTER_US);
        sys_process_kill((u32)pid, STATUS_BY_PARENT);
    }
    s64 status = wait_for(pid);
    verdict(as_expected(status, expected), name, status);
}

static u64 option(const char *name, u64 otherwise)
{
    char text[24];

    return sys_option(name, text, sizeof(text)) == 0 ? strtoull(text, NULL, 0) : otherwise;
}

static void random_processes(void)
{
    char calls[16];
    u64 wanted = option("count", CALLS_DEFAULT);
    const struct process_grant grant = {SLOT_RANDOM_COUNT, random_share()};
    u32 processes = 0;
    s64 status = 0;

    snprintf(calls, sizeof(calls), "%u", (u32)CALLS_A_PROCESS);
    while (random_calls_made() < wanted && status >= 0) {
        status = wait_for(start("random", calls, grant, random_rights));
        processes++;
    }
    verdict(random_calls_made() >= wanted, "random system calls", status);
    printf("%llu random system calls by %u processes\n", (unsigned long long)random_calls_made(),
           processes);
}

// What was left behind goes within moments.
static void nothing_remains(u64 free_before)
{
    struct sys_info info;

    WAIT_FOR(live_objects("Process") == 1 && sys_info(&info) == 0 &&
             info.free_bytes + 0x200000 >= free_before);
    sys_info(&info);
    verdict(live_objects("Process") == 1, "processes left", live_objects("Process"));
    printf("%lld KB less free than before\n",
           ((long long)free_before - (long long)info.free_bytes) / 1024);
    verdict(info.free_bytes + 0x200000 >= free_before, "memory given back", 0);
}

static int all(void)
{
    struct sys_info info;

    run("attempt", 0, attempts[0].name, attempts[0].expected);
    thread_sleep_us(100000);
    sys_info(&info);
    for (u32 i = 0; i < attempt_count; i++)
        run("attempt", i, attempts[i].name, attempts[i].expected);
    for (u32 i = 0; i < privileged_count; i++)
        run("privileged", i, "privileged instruction", ANY_END);
    random_rights = (u32)option("rights", 0) & ~(u32)RIGHT_POWER;
    random_processes();
    nothing_remains(info.free_bytes);
    printf("test-isolation: %u passed, %u failed\n", passed, failed);
    return failed != 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return all();
    u64 argument = strtoull(argv[2], NULL, 10);
    if (strcmp(argv[1], "attempt") == 0)
        attempts[argument].run(attempts[argument].argument);
    else if (strcmp(argv[1], "privileged") == 0)
        privileged_run(argument);
    else if (strcmp(argv[1], "random") == 0)
        random_calls(argument);
    return 0;
}
