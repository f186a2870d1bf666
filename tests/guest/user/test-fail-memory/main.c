// SPDX-License-Identifier: MIT
// Each operation is made by a process of its own, again and again: once to count what is allocated
// meanwhile, then so often that each allocation has failed: of the process, or of a server that it
// uses. A failing one may fail the operation or end the process or the server, and nothing else:
// the next attempt works, and when the process has ended there is as much memory as before.
//
//   test-fail-memory [all] [own] [only=NAME] [seed=NUMBER]
//   test-fail-memory booted
//
// Without `all` each place that allocates fails once, the first time; with it each allocation does,
// and then some later ones at random. `own`: of the processes alone, not of servers. `booted`: the
// boot line has let one fail; each operation works all the same, once the servers are there. The
// last line: "test-fail-memory: N passed, N failed".
#include "child.h"
#include "operations.h"
#include "who.h"

#include <expect.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/thread.h>
#include <waiting.h>

#define WARM_UPS 4
#define LATER 20      // allocations that fail at random
#define LATER_RUNS 5  // of the operation, one after the other
#define SITES_MAX 512 // more than there are
#define ROUNDS 8      // what is lost is lost in each; what a cache keeps, in some
#define LOOKS 20      // in a round, but in the last

static bool all_of_them, own, booted;
static const char *only;
static unsigned seed = 1;

// ---- what is there ------------------------------------------------------------------------------

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

// Whether it was an allocation by malloc that has failed, of code that could see it. Kernel
// addresses are in the upper half.
static bool heap_has_failed(void)
{
    struct sys_memory_site site;

    for (u32 i = 0; sys_memory_site_get(i, &site) == 0; i++)
        if (site.failed != 0)
            return (s64)site.callers[0] >= 0;
    return false;
}

// The calls that led to the allocation that has failed.
static void tell_failed_site(void)
{
    struct sys_memory_site site;

    for (u32 i = 0; sys_memory_site_get(i, &site) == 0; i++) {
        if (site.failed == 0)
            continue;
        for (u32 j = 0; j < SYS_MEMORY_CALLERS; j++)
            printf(" %lx", (unsigned long)site.callers[j]);
    }
    printf("\n");
}

// ---- one allocation fails -----------------------------------------------------------------------

struct tally {
    u64 count, sites, failed, outcomes[OUTCOMES], restarts, leaks;
    s64 heap_max; // blocks of malloc that the server keeps when nothing fails
};

static void judge(struct tally *tally, const struct operation *operation, u64 nth, s32 status)
{
    // The library cannot be told of a page that is not to be had: the kernel ends the process.
    s32 outcome = status == STATUS_KILLED(VECTOR_DATA_STORAGE) ? OUT_OF_MEMORY : status;
    bool good =
        outcome == WORKED || outcome == REFUSED || (outcome == OUT_OF_MEMORY && !heap_has_failed());

    if (good) {
        tally->outcomes[outcome]++;
    } else {
        printf("FAILED %s, allocation %lu: status %d, after", operation->name, (unsigned long)nth,
               (int)status);
        tell_failed_site();
    }
    EXPECT(good);
}

// Of servers only the one whose memory fails may end, and not where malloc told it: whether it has.
static bool restarted(struct tally *tally, const struct operation *operation,
                      const struct servers *before)
{
    bool again = operation->server != NULL && servers_changed(before, NULL) != 0;

    EXPECT(servers_changed(before, operation->server) == 0);
    if (again && heap_has_failed()) {
        printf("FAILED %s has ended, after", operation->server);
        tell_failed_site();
    }
    EXPECT(!again || !heap_has_failed());
    tally->restarts += again;
    return again;
}

static bool heap_is_back(const struct tally *tally, const struct operation *operation)
{
    return operation->server == NULL || memory_use().heap_objects <= tally->heap_max;
}

static void tell_kept(const struct tally *tally, const struct operation *operation,
                      const struct sys_memory_use *before)
{
    struct sys_memory_use now = memory_use();

    printf("%s keeps %ld pages, %ld objects, %ld blocks, after", operation->name,
           (long)(now.pages - before->pages), (long)(now.objects - before->objects),
           operation->server != NULL ? (long)(now.heap_objects - tally->heap_max) : 0);
    tell_failed_site();
}

// Returns whether something is missing afterwards.
static bool try_once(struct tally *tally, const struct operation *operation,
                     const struct attempt *attempt)
{
    struct servers servers = servers_now();
    struct sys_memory_use before = memory_use();
    s32 status = child_run(operation->name, attempt);

    tally->failed += memory_use().failed;
    judge(tally, operation, attempt->nth, status);
    bool new_one = restarted(tally, operation, &servers);
    if (new_one)
        return false; // it has memory of its own; what the last one had went with it
    bool back = heap_is_back(tally, operation) && comes_back(&before, 0);
    if (back || !attempt->patient)
        return !back;
    tell_kept(tally, operation, &before);
    return !heap_is_back(tally, operation) || !comes_back(&before, patience());
}

// Lets one allocation fail. Servers and caches may keep something once; what is lost is lost each
// time.
static void fail_one(struct tally *tally, const struct operation *operation, u64 nth, u32 runs)
{
    struct attempt attempt = {.nth = nth, .runs = runs, .heap_max = tally->heap_max};
    bool kept = true;

    for (u32 round = 0; round < ROUNDS && kept; round++) {
        attempt.patient = round == ROUNDS - 1;
        kept = try_once(tally, operation, &attempt);
    }
    tally->leaks += kept;
    EXPECT(!kept);
}

// ---- each one fails -----------------------------------------------------------------------------

// Nothing fails. Returns how many allocations there were.
static u64 count_only(struct tally *tally, const struct operation *operation, u32 runs)
{
    const struct attempt attempt = {.runs = runs};

    EXPECT(child_run(operation->name, &attempt) == WORKED);
    struct sys_memory_use use = memory_use();
    if (use.heap_objects > tally->heap_max)
        tally->heap_max = use.heap_objects;
    return use.count;
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
    u64 count = count_only(tally, operation, LATER_RUNS);

    for (u32 i = 0; i < LATER && count > 0; i++)
        fail_one(tally, operation, 1 + (u64)rand_r(&seed) % count, LATER_RUNS);
}

static void print_row(const struct tally *tally, const char *name)
{
    printf("%-10s %5lu %5lu %6lu %6lu %6lu %6lu %7lu %6lu\n", name, (unsigned long)tally->count,
           (unsigned long)tally->sites, (unsigned long)tally->failed,
           (unsigned long)tally->outcomes[REFUSED], (unsigned long)tally->outcomes[OUT_OF_MEMORY],
           (unsigned long)tally->outcomes[WORKED], (unsigned long)tally->restarts,
           (unsigned long)tally->leaks);
}

static void try_operation(const struct operation *operation)
{
    static u64 firsts[SITES_MAX];
    struct tally tally = {0};

    if (only != NULL && strcmp(only, operation->name) != 0)
        return;
    // A server that ended last may not be back, or one that needs it may not have heard of that.
    if (operation->server != NULL)
        EXPECT(WAIT_FOR(operation->run() == 0));
    for (u32 i = 0; i < WARM_UPS; i++)
        tally.count = count_only(&tally, operation, 1);
    tally.sites = first_of_sites(firsts);
    for (u64 i = 0; i < (all_of_them ? tally.count : tally.sites); i++)
        fail_one(&tally, operation, all_of_them ? i + 1 : firsts[i], 1);
    if (all_of_them)
        fail_later(&tally, operation);
    print_row(&tally, operation->name);
}

// After a boot on which an allocation may have failed.
static void work_again(const struct operation *operation)
{
    EXPECT(WAIT_FOR(operation->run() == 0));
}

static void each(const struct operation *some, u32 count)
{
    for (u32 i = 0; i < count; i++)
        (booted ? work_again : try_operation)(&some[i]);
}

static void tell_booted(void)
{
    struct sys_memory_use use = memory_use();

    printf("booted: %lu allocations, %lu failed, after", (unsigned long)use.count,
           (unsigned long)use.failed);
    tell_failed_site();
}

static void take_argument(const char *argument)
{
    if (strcmp(argument, "all") == 0)
        all_of_them = true;
    else if (strcmp(argument, "own") == 0)
        own = true;
    else if (strcmp(argument, "booted") == 0)
        booted = true;
    else if (strncmp(argument, "only=", 5) == 0)
        only = argument + 5;
    else if (strncmp(argument, "seed=", 5) == 0)
        seed = (unsigned)strtoul(argument + 5, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc == 7 && strcmp(argv[1], "child") == 0)
        return child_main(argv + 2);
    for (int i = 1; i < argc; i++)
        take_argument(argv[i]);
    if (!booted)
        printf("seed %u\n%-10s %5s %5s %6s %6s %6s %6s %7s %6s\n", seed, "operation", "alloc",
               "sites", "failed", "error", "ended", "worked", "restart", "lost");
    each(operations, operation_count);
    each(watching, watching_count);
    if (!own)
        each(serving, serving_count);
    if (booted)
        tell_booted();
    return expect_report("test-fail-memory");
}
