// SPDX-License-Identifier: MIT
// Starts itself again and again: arguments, ends, crashes, many at once; `test-spawn storm 10000`:
// so many one after the other. The last line is "test-spawn: N passed, N failed".
#include "child.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define STORM 300
#define WARM_UP 200 // processes that fill the kernel's caches first
#define KEPT 256    // pages; less than one a process
#define CROWD 100

static unsigned long passed, failed;

static void expect(bool condition, const char *what, s64 got)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED %s (%ld)\n", what, got);
}

static struct process_spawn self(const char *const *argv)
{
    struct process_spawn how = PROCESS_SPAWN;
    how.path = "bin/test-spawn";
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    return how;
}

static s64 run(const struct process_spawn *how)
{
    s32 status = -1000;
    s64 pid = process_spawn(how);
    if (pid < 0)
        return pid;
    s64 ended = process_wait((u32)pid, &status, patience());
    return ended == pid ? status : -2000;
}

static s64 run_word(const char *word)
{
    const char *const argv[] = {"test-spawn", word, NULL};
    struct process_spawn how = self(argv);
    return run(&how);
}

static void arguments(void)
{
    const char *const argv[] = {"test-spawn", "arguments", "two words", "", NULL};
    const char *const envp[] = {"COLOUR=blue", NULL};
    struct process_spawn how = self(argv);
    how.envp = envp;
    how.inherit = "bytes";
    how.inherit_bytes = 5;
    how.rights = RIGHT_CONSOLE;
    how.cpu = user_cpu_count() - 1;
    s64 status = run(&how);
    expect(status == 77, "arguments", status);
}

// What the program says (STACK in user.mk) counts, unless its starter says something else.
static void stacks(void)
{
    const char *const little[] = {"test-spawn", "deep", "1900", NULL};
    const char *const much[] = {"test-spawn", "deep", "7900", NULL};
    static const u64 refused[] = {1, PROCESS_STACK_MIN - 1, PROCESS_STACK_MAX + 1, UINT64_MAX};
    struct process_spawn how = self(little);
    s64 result = run(&how);
    expect(result == 0, "the program's stack", result);
    how = self(much);
    how.stack_bytes = 8 << 20;
    result = run(&how);
    expect(result == 0, "the starter's stack", result);
    for (u32 i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        how.stack_bytes = refused[i];
        result = process_spawn(&how);
        expect(result == E_LIMIT, "no such stack", result);
    }
}

static void errors(void)
{
    const char *const argv[] = {"none", NULL};
    struct process_spawn how = self(argv);
    how.path = "bin/no-such-program";
    s64 result = process_spawn(&how);
    expect(result == E_NOENT, "no program", result);
    how.path = NULL;
    how.image = "not an ELF file, but long enough to be looked at, as any text of this length is";
    how.bytes = strlen(how.image);
    result = process_spawn(&how);
    expect(result == E_INVAL, "no ELF", result);
    result = process_wait(0, NULL, THREAD_FOREVER);
    expect(result == E_NOENT, "no children", result);
    const char *const sleep[] = {"test-spawn", "sleep", NULL};
    how = self(sleep);
    s64 pid = process_spawn(&how);
    result = process_wait((u32)pid, NULL, time_after_us(20000));
    expect(result == E_TIMEOUT, "still running", result);
    result = sys_process_kill((u32)pid, 9);
    expect(result == 0, "kill", result);
    s32 status = 0;
    result = process_wait((u32)pid, &status, patience());
    expect(result == pid && status == 9, "killed", status);
}

static void crashes(void)
{
    static const struct {
        const char *word;
        s32 status;
    } cases[] = {
        {"null", STATUS_KILLED(0x300)},
        {"null-read", STATUS_KILLED(0x300)},
        {"null-call", STATUS_KILLED(0x300)},
        {"kernel", STATUS_KILLED(0x300)},
        {"text", STATUS_KILLED(0x300)},
        {"data", STATUS_KILLED(0x400)},
        {"stack", STATUS_KILLED(0x300)},
        {"trap", STATUS_KILLED(0x700)},
        {"r1", STATUS_KILLED(0x300)},
        {"privileged", STATUS_KILLED(0x700)},
        {"r13", STATUS_KILLED(0x300)},
        {"panic", STATUS_KILLED(0)},
        {"abort", 128 + 6},
        {"thread", STATUS_KILLED(0x300)},
        {"thread-stack", STATUS_KILLED(0x300)},
    };
    for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
        s64 status = run_word(cases[i].word);
        expect(status == cases[i].status, cases[i].word, status);
    }
}

// With MALLOC_CHECK_ a program ends at errors that otherwise nobody may see.
static void heaps(void)
{
    static const char *const misuses[] = {"twice",  "behind", "behind-kept",
                                          "before", "after",  "inside"};
    static const char *const checked[] = {"MALLOC_CHECK_=1", NULL};
    static const char *const unchecked[] = {"MALLOC_CHECK_=0", NULL};
    for (u32 i = 0; i < ARRAY_SIZE(misuses); i++) {
        const char *const argv[] = {"test-spawn", "heap", misuses[i], NULL};
        struct process_spawn how = self(argv);
        how.envp = checked;
        s64 status = run(&how);
        expect(status == STATUS_KILLED(0), misuses[i], status);
    }
    const char *const argv[] = {"test-spawn", "heap", "well", NULL};
    struct process_spawn how = self(argv);
    how.envp = checked;
    s64 status = run(&how);
    expect(status == 0, "a checked heap that is used well", status);
    const char *const late[] = {"test-spawn", "heap", "behind-kept", NULL};
    how = self(late);
    how.envp = unchecked;
    status = run(&how);
    expect(status == 0, "a heap that is not checked", status);
}

static s64 pages_missing(u64 free_before)
{
    struct sys_info now;
    sys_info(&now);
    return (s64)(free_before - now.free_bytes) / 4096;
}

// Memory of ended processes comes back a little later, and the kernel keeps some for the next ones.
static void storm(u32 processes)
{
    u32 wrong = 0;
    struct sys_info before;
    for (u32 i = 0; i < WARM_UP; i++)
        run_word("nothing");
    thread_sleep_us(200000);
    sys_info(&before);
    for (u32 i = 0; i < processes; i++)
        wrong += run_word("nothing") != 0;
    expect(wrong == 0, "storm", wrong);
    s64 missing;
    WAIT_FOR((missing = pages_missing(before.free_bytes)) <= KEPT);
    expect(missing <= KEPT, "pages lost", missing);
    printf("test-spawn: %u processes one after the other: %ld pages fewer are free\n", processes,
           missing);
}

static void crowd(void)
{
    const char *const argv[] = {"test-spawn", "threads", NULL};
    s64 pids[CROWD];
    u32 wrong = 0;
    for (u32 i = 0; i < CROWD; i++) {
        struct process_spawn how = self(argv);
        how.cpu = i % user_cpu_count();
        pids[i] = process_spawn(&how);
        wrong += pids[i] < 0;
    }
    for (u32 i = 0; i < CROWD; i++) {
        s32 status = -1;
        if (pids[i] > 0)
            wrong += process_wait((u32)pids[i], &status, patience()) != pids[i] || status != 0;
    }
    expect(wrong == 0, "a hundred processes of ten threads", wrong);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "storm") == 0) {
        storm((u32)strtoul(argv[2], NULL, 0));
    } else if (argc > 1) {
        return child_main(argc, argv);
    } else {
        arguments();
        stacks();
        errors();
        crashes();
        heaps();
        storm(STORM);
        crowd();
    }
    printf("test-spawn: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
