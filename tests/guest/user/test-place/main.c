// SPDX-License-Identifier: MIT
// Placing processes (orrery/place.h). Boot options: only=NAME, calls=N random ones.
#include "tests.h"

#include <expect.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

u32 cpus(void)
{
    struct sys_info info;

    sys_info(&info);
    return info.cpu_count;
}

u64 option(const char *name, u64 otherwise)
{
    char text[32];

    return sys_option(name, text, sizeof(text)) == 0 ? strtoull(text, NULL, 0) : otherwise;
}

u64 random_below(u64 limit)
{
    static u64 state = 49;

    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (state >> 33) % limit;
}

s64 start(const char *role, u32 rights, u32 cpu)
{
    return start_with(role, rights, cpu, 0);
}

s64 start_with(const char *role, u32 rights, u32 cpu, cap_t parent)
{
    const char *const argv[] = {"test-place", role, NULL};
    const struct process_grant grant = {CAP_PARENT, parent};
    struct process_spawn how = PROCESS_SPAWN;

    how.path = "bin/test-place";
    how.argv = argv;
    how.cpu = cpu;
    how.rights = rights;
    how.grants = &grant;
    how.grant_count = parent != 0;
    return process_spawn(&how);
}

s64 wait_for(s64 pid)
{
    s32 status = 0;
    s64 ended = pid < 0 ? pid : process_wait((u32)pid, &status, patience());

    return ended == pid && pid > 0 ? status : ended - 1000;
}

void end(s64 pid)
{
    EXPECT(sys_process_kill((u32)pid, 7) == 0);
    EXPECT(wait_for(pid) == 7);
}

// ---- roles --------------------------------------------------------------------------------------

static __attribute__((noreturn)) int sleep_for_ever(void)
{
    for (;;)
        thread_sleep_us(1000000);
}

// Runs on, and takes no event.
static __attribute__((noreturn)) int ignore_all(void)
{
    user_disable();
    for (;;)
        __asm__ volatile("");
}

static __attribute__((noreturn)) s64 yield_for_ever(void *argument)
{
    (void)argument;
    for (;;)
        thread_yield();
}

static int yield_all(void)
{
    for (u32 i = 0; i < 3; i++)
        thread_create(NULL, NULL, yield_for_ever, NULL);
    yield_for_ever(NULL);
}

// Yields for ever, and says on the console where.
static __attribute__((noreturn)) int tell_moves(void)
{
    u32 pid = (u32)sys_process_pid(0), cpu = user_cpu();
    char line[64];

    thread_create(NULL, NULL, yield_for_ever, NULL);
    for (;;) {
        thread_yield();
        if (user_cpu() == cpu)
            continue;
        cpu = user_cpu();
        int length = snprintf(line, sizeof(line), "process %u is on CPU %u\n", pid, cpu);
        sys_console_write(line, (u64)length);
    }
}

// Processes that would rather be on several CPUs, all begun on the first one.
static __attribute__((noreturn)) int make_crowd(void)
{
    for (u32 i = 0; i < 4; i++) {
        s64 pid = start("tell", 0, 0);
        printf("process %lld begins\n", (long long)pid);
    }
    sleep_for_ever();
}

static const struct {
    const char *name;
    int (*run)(void);
} roles[] = {
    {"sleep", sleep_for_ever},    {"ignore", ignore_all},  {"without-right", without_right},
    {"follow", follow_place},     {"refused", be_refused}, {"yield", yield_all},
    {"tell", tell_moves},         {"crowd", make_crowd},   {"serve", serve_calls},
    {"pairs", make_pairs},        {"full", make_full},     {"client", call_for_ever},
    {"serve-pair", serve_a_pair},
};

static const struct {
    const char *name;
    void (*run)(void);
    u32 cpus; // that it needs
} tests[] = {
    {"refusals", test_refusals, 1}, {"random", test_random, 1}, {"storm", test_storm, 1},
    {"follow", test_follow, 2},     {"ignore", test_ignore, 2}, {"priority", test_priority, 1},
    {"slice", test_slice, 1},       {"spread", test_spread, 2},
};

int main(int argc, char **argv)
{
    char only[32];

    for (u32 i = 0; argc > 1 && i < ARRAY_SIZE(roles); i++)
        if (strcmp(argv[1], roles[i].name) == 0)
            return roles[i].run();
    bool all = sys_option("only", only, sizeof(only)) != 0;
    for (u32 i = 0; i < ARRAY_SIZE(tests); i++)
        if ((all || strcmp(only, tests[i].name) == 0) && cpus() >= tests[i].cpus)
            tests[i].run();
    return expect_report("test-place");
}
