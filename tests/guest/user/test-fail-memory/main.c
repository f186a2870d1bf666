// SPDX-License-Identifier: MIT
// Each operation is made by a process of its own, again and again: once to count what the kernel
// allocates meanwhile, then so often that each allocation has failed. A failing one may fail the
// operation or end the process, and nothing else: the next attempt works, and when the process has
// ended there is as much memory as before.
//
//   test-fail-memory [all] [only=NAME] [seed=NUMBER]
//
// Without `all` each place that allocates fails once, the first time; with it each allocation does,
// and then some later ones at random. The last line is "test-fail-memory: N passed, N failed".
#include "operations.h"

#include <expect.h>
#include <orrery/errors.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define VECTOR_DATA_STORAGE 0x300
#define WARM_UPS 4
#define LATER 20      // allocations that fail at random
#define LATER_RUNS 5  // of the operation, one after the other
#define SITES_MAX 512 // more than there are
#define ROUNDS 4      // what is lost is lost in each
#define LOOKS 20      // in a round, but in the last

// How a child ends.
enum outcome { WORKED, REFUSED, NOT_AGAIN, NOT_SWITCHED, OUT_OF_MEMORY, OUTCOMES };

static bool all_of_them;
static const char *only;
static unsigned seed = 1;

// ---- the process that does it ------------------------------------------------------------------

// Without a report, which nobody would read.
static bool end_quietly(const struct event *event, struct user_state *state)
{
    (void)event;
    (void)state;
    sys_exit(OUT_OF_MEMORY);
    return false;
}

static s64 run_often(const struct operation *operation, unsigned runs)
{
    s64 error = 0;

    for (unsigned i = 0; i < runs && error == 0; i++)
        error = operation->run();
    return error;
}

static int child_main(const struct operation *operation, u64 nth, unsigned runs)
{
    user_on_exception(end_quietly);
    if (sys_memory_fail(true, nth, (u32)sys_process_pid(0)) != 0)
        return NOT_SWITCHED;
    s64 error = run_often(operation, runs);
    if (sys_memory_fail(false, 0, 0) != 0)
        return NOT_SWITCHED;
    s64 again = operation->run();
    if (again != 0)
        printf("FAILED %s again: %s; before: %s\n", operation->name, orrery_strerror(again),
               orrery_strerror(error));
    return again != 0 ? NOT_AGAIN : error != 0 ? REFUSED : WORKED;
}

static const struct operation *find(const char *name)
{
    for (u32 i = 0; i < operation_count; i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    for (u32 i = 0; i < watching_count; i++)
        if (strcmp(watching[i].name, name) == 0)
            return &watching[i];
    return NULL;
}

// ---- who looks on ------------------------------------------------------------------------------

static s32 run_child(const struct operation *operation, u64 nth, unsigned runs)
{
    char number[24], times[24];
    const char *const argv[] = {"test-fail-memory", "child", operation->name, number, times, NULL};
    struct process_spawn how = PROCESS_SPAWN;
    s32 status = -1;

    snprintf(number, sizeof(number), "%lu", (unsigned long)nth);
    snprintf(times, sizeof(times), "%u", runs);
    how.path = "/bin/test-fail-memory";
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    s64 pid = process_spawn(&how);
    if (pid > 0)
        process_wait((u32)pid, &status, THREAD_FOREVER);
    return status;
}

static struct sys_memory_use memory_use(void)
{
    struct sys_memory_use use = {0};

    EXPECT(sys_memory_use(&use) == 0);
    return use;
}

static bool no_more_than(const struct sys_memory_use *before)
{
    struct sys_memory_use now = memory_use();

    return now.pages <= before->pages && now.objects <= before->objects;
}

static bool comes_back(const struct sys_memory_use *before, u64 deadline)
{
    for (u32 look = 0; look < LOOKS || deadline != 0; look++) {
        if (no_more_than(before))
            return true;
        if (!wait_more(deadline != 0 ? deadline : THREAD_FOREVER))
            return false;
    }
    return false;
}

struct tally {
    u64 count, sites, failed, outcomes[OUTCOMES], leaks;
};

static void judge(struct tally *tally, const struct operation *operation, u64 nth, s32 status)
{
    // The library cannot be told of what fails under its own hands: the kernel ends the process.
    s32 outcome = status == STATUS_KILLED(VECTOR_DATA_STORAGE) ? OUT_OF_MEMORY : status;
    bool good = outcome == WORKED || outcome == REFUSED || outcome == OUT_OF_MEMORY;

    if (good)
        tally->outcomes[outcome]++;
    else
        printf("FAILED %s, allocation %lu: status %d\n", operation->name, (unsigned long)nth,
               (int)status);
    EXPECT(good);
}

// Says what there is more than before, and after which allocation failed.
static void tell_kept(const struct operation *operation, const struct sys_memory_use *before)
{
    struct sys_memory_use now = memory_use();
    struct sys_memory_site site;

    printf("%s keeps %ld pages, %ld objects, after", operation->name,
           (long)(now.pages - before->pages), (long)(now.objects - before->objects));

    for (u32 i = 0; sys_memory_site_get(i, &site) == 0; i++) {
        if (site.failed == 0)
            continue;
        for (u32 j = 0; j < SYS_MEMORY_CALLERS; j++)
            printf(" %lx", (unsigned long)site.callers[j]);
    }
    printf("\n");
}

// Lets one allocation fail. Servers and caches may keep something once; what is lost is lost each
// time.
static void fail_one(struct tally *tally, const struct operation *operation, u64 nth, unsigned runs)
{
    bool kept = true;

    for (u32 round = 0; round < ROUNDS && kept; round++) {
        struct sys_memory_use before = memory_use();
        s32 status = run_child(operation, nth, runs);
        tally->failed += memory_use().failed;
        judge(tally, operation, nth, status);
        kept = !comes_back(&before, 0);
        if (kept && round == ROUNDS - 1) {
            tell_kept(operation, &before);
            kept = !comes_back(&before, patience());
        }
    }
    tally->leaks += kept;
    EXPECT(!kept);
}

// Returns the numbers of allocations that are to fail: the first one of each site.
static u32 first_of_sites(u64 *firsts)
{
    struct sys_memory_site site;
    u32 count = 0;

    while (count < SITES_MAX && sys_memory_site_get(count, &site) == 0)
        firsts[count++] = site.first;
    return count;
}

static void fail_later(struct tally *tally, const struct operation *operation)
{
    run_child(operation, 0, LATER_RUNS);
    u64 count = memory_use().count;

    for (u32 i = 0; i < LATER && count > 0; i++)
        fail_one(tally, operation, 1 + (u64)rand_r(&seed) % count, LATER_RUNS);
}

static void try_operation(const struct operation *operation)
{
    static u64 firsts[SITES_MAX];
    struct tally tally = {0};

    if (only != NULL && strcmp(only, operation->name) != 0)
        return;
    for (u32 i = 0; i < WARM_UPS; i++)
        EXPECT(run_child(operation, 0, 1) == WORKED);
    tally.count = memory_use().count;
    tally.sites = first_of_sites(firsts);
    for (u64 i = 0; i < (all_of_them ? tally.count : tally.sites); i++)
        fail_one(&tally, operation, all_of_them ? i + 1 : firsts[i], 1);
    if (all_of_them)
        fail_later(&tally, operation);
    printf("%-10s %5lu %5lu %6lu %6lu %6lu %6lu %6lu\n", operation->name,
           (unsigned long)tally.count, (unsigned long)tally.sites, (unsigned long)tally.failed,
           (unsigned long)tally.outcomes[REFUSED], (unsigned long)tally.outcomes[OUT_OF_MEMORY],
           (unsigned long)tally.outcomes[WORKED], (unsigned long)tally.leaks);
}

static void take_argument(const char *argument)
{
    if (strcmp(argument, "all") == 0)
        all_of_them = true;
    else if (strncmp(argument, "only=", 5) == 0)
        only = argument + 5;
    else if (strncmp(argument, "seed=", 5) == 0)
        seed = (unsigned)strtoul(argument + 5, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "child") == 0)
        return child_main(find(argv[2]), strtoul(argv[3], NULL, 10),
                          (unsigned)strtoul(argv[4], NULL, 10));
    for (int i = 1; i < argc; i++)
        take_argument(argv[i]);
    printf("seed %u\n%-10s %5s %5s %6s %6s %6s %6s %6s\n", seed, "operation", "alloc", "sites",
           "failed", "error", "ended", "worked", "lost");
    for (u32 i = 0; i < operation_count; i++)
        try_operation(&operations[i]);
    for (u32 i = 0; i < watching_count; i++)
        try_operation(&watching[i]);
    return expect_report("test-fail-memory");
}
