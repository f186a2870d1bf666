// SPDX-License-Identifier: MIT
// Threads that read their own counters: their loops are there exactly,
// whatever else runs and wherever they go.
#include "tests.h"

#include <rows.h>
#include <stdio.h>
#include <user/pmu.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define TURNS 200000UL
#define LONG_TURNS 3000000UL // so long that others get the CPU meanwhile
#define ROUNDS 10
// What the library does in a thread's name when it is switched or moved, of any event, in a test.
#define SLACK 5000

enum { INSTRUCTIONS, LARX, ITEMS };

static struct row_tally exact, reservations;

static void open_counters(void)
{
    struct sys_pmu_counting counting = request();
    add(&counting, "instructions", SYS_PMU_USER, 0);
    add(&counting, "larx", SYS_PMU_USER, 0);
    CHECK_IS(pmu_open(&counting, message, sizeof(message)) > 0, true);
}

struct range {
    u64 least, most;
};

static void widen(struct range *range, u64 found)
{
    range->least = found < range->least ? found : range->least;
    range->most = found > range->most ? found : range->most;
}

// What a loop of so many turns counts between two reads, in several tries.
static void count_loop(u64 turns, struct range found[ITEMS])
{
    u64 before[ITEMS], after[ITEMS];
    for (u32 i = 0; i < ITEMS; i++)
        found[i] = (struct range){.least = UINT64_MAX};
    for (u32 round = 0; round < ROUNDS; round++) {
        CHECK_IS(pmu_read(before), 0);
        work(turns);
        CHECK_IS(pmu_read(after), 0);
        for (u32 i = 0; i < ITEMS; i++)
            widen(&found[i], after[i] - before[i]);
    }
}

// What lies between two reads is always the same, but for those in which the thread was switched
// away from, or a read that was disturbed looked again.
static void count_here(void *turns)
{
    struct range none[ITEMS], found[ITEMS];
    u64 count = *(u64 *)turns, instructions = (count - 1) * WORK_INSTRUCTIONS;
    count_loop(1, none);
    count_loop(count, found);
    row_compare(&exact, instructions, instructions,
                found[INSTRUCTIONS].least - none[INSTRUCTIONS].least);
    row_compare(&reservations, count * WORK_LARX, count * WORK_LARX, found[LARX].least);
    for (u32 i = 0; i < ITEMS; i++)
        CHECK_IS(found[i].most <= found[i].least + SLACK, true);
    CHECK_IS(none[INSTRUCTIONS].least < 500 * ROW_CODE_FACTOR, true);
}

static void loops_are_exact(void)
{
    static const u64 limits[] = {100, 20000, TURNS};
    for (u32 i = 0; i < ARRAY_SIZE(limits); i++) {
        u64 turns = limits[i];
        exact = reservations = (struct row_tally){0};
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            on_cpu(cpu, count_here, &turns);
        row_of(&exact, "counters read by user code, %lu turns: instructions", turns);
        row_of(&reservations, "  larx");
    }
}

// Another process wants the CPU too.
static void preemption_does_not_count(void)
{
    const char *argv[] = {"test-pmu", "burn", FOREVER, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    u64 turns = LONG_TURNS / 5;
    s32 status;
    spawn.path = "bin/test-pmu";
    spawn.argv = argv;
    spawn.cpu = 0;
    s64 pid = process_spawn(&spawn);
    CHECK_IS(pid > 0, true);
    thread_sleep_us(20000);
    exact = (struct row_tally){0};
    on_cpu(0, count_here, &turns);
    row_of(&exact, "  while another process wants the CPU too");
    CHECK_IS(sys_process_kill((u32)pid, 1), 0);
    CHECK_IS(process_wait((u32)pid, &status, patience()), pid);
}

// ---- threads that share CPUs, and change them ---------------------------------------------------

static u32 too_many; // threads that have counted more than their own

static void check_thread(u64 before[ITEMS], u64 turns)
{
    u64 after[ITEMS];
    CHECK_IS(pmu_read(after), 0);
    u64 larx = after[LARX] - before[LARX],
        instructions = after[INSTRUCTIONS] - before[INSTRUCTIONS];
    CHECK_IS(larx >= turns * WORK_LARX, true);
    CHECK_IS(instructions >= turns * WORK_INSTRUCTIONS, true);
    if (larx > turns * WORK_LARX + SLACK ||
        instructions > turns * WORK_INSTRUCTIONS * 101 / 100 + 20 * SLACK)
        __atomic_fetch_add(&too_many, 1, __ATOMIC_RELAXED);
}

static s64 share(void *argument)
{
    u64 before[ITEMS], turns = (u64)argument;
    CHECK_IS(pmu_read(before), 0);
    work(turns);
    check_thread(before, turns);
    return 0;
}

static s64 wander(void *argument)
{
    u64 before[ITEMS], turns = (u64)argument;
    CHECK_IS(pmu_read(before), 0);
    for (u32 round = 0; round < ROUNDS; round++) {
        work(turns / ROUNDS);
        CHECK_IS(thread_move(thread_current(), round % user_cpu_count()), 0);
    }
    check_thread(before, turns);
    return 0;
}

// On each CPU a thread that stays, and one that comes from somewhere and goes everywhere.
static bool count_own_only(void)
{
    struct thread *threads[2 * ORRERY_MAX_CPUS];
    u32 count = 0;
    too_many = 0;
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&threads[count++], &attributes, share, (void *)LONG_TURNS), 0);
        CHECK_IS(thread_create(&threads[count++], &attributes, wander, (void *)(LONG_TURNS / 2)),
                 0);
    }
    while (count > 0)
        CHECK_IS(thread_join(threads[--count], NULL), 0);
    return too_many == 0;
}

// The library does other things in a thread's name: it switches it, and waits for locks. That is
// little, unless the host interrupts it often, or keeps from running whoever has the lock.
static void threads_keep_their_counts(void)
{
    CHECK_IS(WAIT_FOR(count_own_only()), true);
}

// ---- refusals -----------------------------------------------------------------------------------

static void bad_use(void)
{
    struct sys_pmu_counting counting = request();
    u64 counts[ITEMS];
    CHECK_IS(pmu_read(counts), E_STALE);
    CHECK_IS(pmu_close(), E_STALE);
    add(&counting, "larx", SYS_PMU_USER, 0);
    add(&counting, "larx", SYS_PMU_KERNEL, 0);
    if (counters("larx") == 1) {
        CHECK_IS(pmu_open(&counting, message, sizeof(message)), E_LIMIT);
        CHECK_IS(message[0] != 0, true);
    }
}

void own(void)
{
    bad_use();
    open_counters();
    loops_are_exact();
    preemption_does_not_count();
    threads_keep_their_counts();
    CHECK_IS(pmu_close(), 0);
    bad_use();
    printf("test-pmu: own counters done\n");
}
