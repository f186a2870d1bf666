// SPDX-License-Identifier: MIT
// Counts of processes and threads, and processes that are left out. Children burn a known number of
// turns; what the library does in them beside it is the same in each, and known from
// one that burns one.
#include "tests.h"

#include <rows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define TURNS 1000000UL
#define THREAD_TURNS 300000UL
#define SLACK 20000 // of any event: what the library does beside the loops
#define RETRIES 8

enum { INSTRUCTIONS, LARX, KERNEL, ITEMS };

struct found {
    struct sys_pmu_task task;
    struct sys_pmu_count counts[ITEMS];
};

static struct sys_pmu_counting by_task(u32 flags)
{
    struct sys_pmu_counting counting = request();
    counting.flags = flags;
    add(&counting, "instructions", SYS_PMU_USER, 0);
    add(&counting, "larx", SYS_PMU_USER, 0);
    add(&counting, "instructions", SYS_PMU_KERNEL, 0);
    return counting;
}

// ---- children -----------------------------------------------------------------------------------

int burn(const char *turns, bool excluded)
{
    u64 count = strtoull(turns, NULL, 10);
    u32 self = (u32)user_page(user_cpu())->pid;
    if (excluded && sys_pmu_exclude(self, true) != 0)
        return 1;
    work(count);
    return excluded && sys_pmu_exclude(self, false) != 0;
}

// All texts of turns that are counted have eight digits, so that reading them takes the same time.
static s64 start_child(const char *what, const char *turns, u32 cpu)
{
    const char *argv[] = {"test-pmu", what, turns, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    spawn.path = "bin/test-pmu";
    spawn.argv = argv;
    spawn.rights = PROCESS_SAME_RIGHTS;
    spawn.cpu = cpu;
    s64 pid = process_spawn(&spawn);
    CHECK_IS(pid > 0, true);
    return pid;
}

static void await(s64 pid, bool killed)
{
    s32 status = -1;
    CHECK_IS(process_wait((u32)pid, &status, patience()), pid);
    CHECK_IS(status == 0, !killed);
}

// ---- reading ------------------------------------------------------------------------------------

// Calls visit for each task of a CPU; few at a time, so that it takes several calls.
static void each_task(s64 session, u32 cpu, void (*visit)(const struct found *, void *),
                      void *argument)
{
    struct found found[5];
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = sys_pmu_count_tasks(session, cpu, &cursor, found, sizeof(found))) > 0) {
        CHECK_IS((u64)bytes % sizeof(found[0]), 0);
        for (u64 i = 0; i < (u64)bytes / sizeof(found[0]); i++) {
            CHECK_IS(found[i].task.record_bytes, sizeof(found[0]));
            visit(&found[i], argument);
        }
    }
    CHECK_IS(bytes, 0);
}

struct sum {
    u32 pid; // whose, UINT32_MAX: of all
    u32 tasks, flags;
    u64 counts[ITEMS];
};

static void add_task(const struct found *found, void *argument)
{
    struct sum *sum = argument;
    if (sum->pid != UINT32_MAX && found->task.pid != sum->pid)
        return;
    sum->tasks++;
    sum->flags |= found->task.flags;
    for (u32 i = 0; i < ITEMS; i++) {
        CHECK_IS(found->counts[i].measured, found->counts[i].total);
        sum->counts[i] += found->counts[i].count;
    }
}

static struct sum sum_of(s64 session, s64 pid)
{
    struct sum sum = {.pid = (u32)pid};
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        each_task(session, cpu, add_task, &sum);
    return sum;
}

// Of a session that has ended.
static void tasks_add_up(s64 session, const struct sys_pmu_counting *counting)
{
    struct row_tally sums = {0};
    struct scaled_count all[SYS_PMU_ITEMS];
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct sum sum = {.pid = UINT32_MAX};
        read_counts(session, cpu, counting, all);
        each_task(session, cpu, add_task, &sum);
        for (u32 i = 0; i < ITEMS; i++)
            row_compare(&sums, all[i].count, all[i].count, sum.counts[i]);
        CHECK_IS(sum.tasks >= 1, true);
    }
    row_of(&sums, "all tasks' counts = the CPUs'");
}

// ---- processes ----------------------------------------------------------------------------------

// A store conditional of the library fails when an interrupt comes before it: one larx more,
// and few instructions.
static void check_extra(s64 larx, s64 instructions)
{
    CHECK_IS(larx >= -RETRIES && larx <= RETRIES, true);
    CHECK_IS(instructions >= -RETRIES * 8 && instructions <= RETRIES * 8, true);
    CHECK_IS(larx == 0, instructions == 0);
}

static void row_turns(const char *what, u64 none, u64 expected, u64 extra, u64 found)
{
    u64 sum = none + expected;
    row_range(sum > extra ? sum - extra : 0, sum + extra, found, "%s", what);
}

static void check_turns(const char *what, const struct sum *sum, const struct sum *none, u64 turns)
{
    row_turns(what, none->counts[LARX], turns * WORK_LARX, RETRIES, sum->counts[LARX]);
    row_turns("  its instructions", none->counts[INSTRUCTIONS], turns * WORK_INSTRUCTIONS,
              RETRIES * 8, sum->counts[INSTRUCTIONS]);
    check_extra(
        (s64)(sum->counts[LARX] - none->counts[LARX] - turns * WORK_LARX),
        (s64)(sum->counts[INSTRUCTIONS] - none->counts[INSTRUCTIONS] - turns * WORK_INSTRUCTIONS));
    CHECK_IS(sum->counts[KERNEL] > 0, true);
    CHECK_IS(sum->flags, SYS_PMU_TASK_ENDED);
}

static void processes_are_counted_apart(void)
{
    struct sys_pmu_counting counting = by_task(SYS_PMU_BY_PROCESS);
    u32 cpu = user_cpu_count() - 1;
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    s64 none = start_child("burn", "00000001", cpu);
    await(none, false);
    s64 one = start_child("burn", "01000000", cpu), three = start_child("burn", "03000000", cpu);
    await(one, false);
    await(three, false);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    tasks_add_up(session, &counting);
    struct sum base = sum_of(session, none), first = sum_of(session, one),
               second = sum_of(session, three);
    check_turns("a process's own larx, of one turn and 999999 more", &first, &base, TURNS - 1);
    check_turns("another's on the same CPU, 2999999 more", &second, &base, 3 * TURNS - 1);
    printf("test-pmu: processes: %lu, %lu, %lu instructions:u\n", base.counts[INSTRUCTIONS],
           first.counts[INSTRUCTIONS], second.counts[INSTRUCTIONS]);
}

static void a_process_dies_while_counted(void)
{
    struct sys_pmu_counting counting = by_task(SYS_PMU_BY_PROCESS);
    s64 session = start(&counting);
    s64 pid = start_child("burn", FOREVER, user_cpu_count() - 1);
    CHECK_IS(WAIT_FOR(sum_of(session, pid).counts[LARX] > 0), true);
    struct sum alive = sum_of(session, pid);
    CHECK_IS(alive.flags & SYS_PMU_TASK_ENDED, 0);
    CHECK_IS(sys_process_kill((u32)pid, 7), 0);
    await(pid, true);
    struct sum dead = sum_of(session, pid);
    CHECK_IS(dead.flags & SYS_PMU_TASK_ENDED, SYS_PMU_TASK_ENDED);
    CHECK_IS(dead.counts[LARX] >= alive.counts[LARX] && dead.counts[LARX] > 0, true);
    thread_sleep_us(20000);
    struct sum later = sum_of(session, pid);
    CHECK_IS(later.counts[LARX], dead.counts[LARX]);
    CHECK_IS(later.counts[INSTRUCTIONS], dead.counts[INSTRUCTIONS]);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    tasks_add_up(session, &counting);
}

// ---- threads ------------------------------------------------------------------------------------

struct own {
    u32 pid, threads[ORRERY_MAX_CPUS], count;
    struct row_tally larx;
    bool few; // not more than their own
};

static void check_thread(const struct found *found, void *argument)
{
    struct own *own = argument;
    CHECK_IS(found->task.thread != 0, true);
    CHECK_IS(found->task.name[0] != 0, true);
    if (found->task.pid != own->pid)
        return;
    u64 larx = found->counts[LARX].count;
    own->few = own->few && larx <= THREAD_TURNS + SLACK;
    row_compare(&own->larx, THREAD_TURNS, larx > THREAD_TURNS ? larx : THREAD_TURNS, larx);
    for (u32 i = 0; i < own->count; i++)
        CHECK_IS(own->threads[i] != found->task.thread, true);
    own->threads[own->count++] = found->task.thread;
}

static bool count_threads(struct own *own)
{
    struct sys_pmu_counting counting = by_task(SYS_PMU_BY_THREAD);
    *own = (struct own){.pid = (u32)user_page(user_cpu())->pid, .few = true};
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    work_everywhere(THREAD_TURNS);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    tasks_add_up(session, &counting);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        each_task(session, cpu, check_thread, own);
    return own->few;
}

// A thread that waits for a lock of the library, whose holder the host keeps from running,
// makes many more larx.
static void threads_are_counted_apart(void)
{
    struct own own;
    CHECK_IS(WAIT_FOR(count_threads(&own)), true);
    row_exact(user_cpu_count(), own.count, "threads that are counted apart");
    row_of(&own.larx, "  larx, of %lu turns each at least", THREAD_TURNS);
}

// ---- turns --------------------------------------------------------------------------------------

struct shares {
    u64 measured[2], total[2], tasks;
};

static void add_times(const struct found *found, void *argument)
{
    struct shares *shares = argument;
    for (u32 i = 0; i < 2; i++) {
        shares->measured[i] += found->counts[i].measured;
        shares->total[i] += found->counts[i].total;
    }
    shares->tasks++;
}

// In groups that take turns the tasks' times add up, in each group and in all.
static void tasks_take_turns(void)
{
    struct sys_pmu_counting counting = request();
    struct scaled_count all[SYS_PMU_ITEMS];
    counting.flags = SYS_PMU_BY_PROCESS;
    counting.slice = 100000;
    counting.set_count = 3;
    for (u32 set = 0; set < 3; set++) {
        counting.shares[set] = 1;
        add(&counting, "larx", SYS_PMU_USER, set);
    }
    s64 session = start(&counting);
    work_everywhere(2 * TURNS);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct shares shares = {0};
        read_counts(session, cpu, &counting, all);
        each_task(session, cpu, add_times, &shares);
        for (u32 i = 0; i < 2; i++) {
            CHECK_IS(shares.measured[i], all[i].measured);
            CHECK_IS(shares.total[i], all[i].total);
        }
        CHECK_IS(all[0].measured < all[0].total, true);
    }
}

// ---- exclusion ----------------------------------------------------------------------------------

static void the_excluded_are_missing(void)
{
    struct sys_pmu_counting counting = by_task(SYS_PMU_BY_PROCESS);
    u32 cpu = user_cpu_count() - 1;
    s64 session = start(&counting);
    s64 none = start_child("hide", "00000001", cpu);
    await(none, false);
    s64 seen_none = start_child("burn", "00000001", cpu);
    await(seen_none, false);
    s64 hidden = start_child("hide", "03000000", cpu), seen = start_child("burn", "01000000", cpu);
    await(hidden, false);
    await(seen, false);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    tasks_add_up(session, &counting);
    struct sum base = sum_of(session, none), other = sum_of(session, hidden);
    check_turns("a process that is left out: larx of 3000000 turns", &other, &base, 0);
    struct sum seen_base = sum_of(session, seen_none), seen_sum = sum_of(session, seen);
    check_turns("one beside it that is not", &seen_sum, &seen_base, TURNS - 1);
}

static void exclusion_hits_who_runs(void)
{
    struct sys_pmu_counting counting = by_task(SYS_PMU_BY_PROCESS);
    s64 session = start(&counting);
    s64 pid = start_child("burn", FOREVER, user_cpu_count() - 1);
    CHECK_IS(WAIT_FOR(sum_of(session, pid).counts[LARX] > 0), true);
    CHECK_IS(sys_pmu_exclude((u32)pid, true), 0);
    struct sum before = sum_of(session, pid);
    thread_sleep_us(50000);
    struct sum after = sum_of(session, pid);
    row_exact(before.counts[LARX], after.counts[LARX], "left out while it runs: larx");
    row_exact(before.counts[INSTRUCTIONS], after.counts[INSTRUCTIONS], "  instructions");
    row_exact(before.counts[KERNEL], after.counts[KERNEL], "  instructions in the kernel");
    CHECK_IS(sys_pmu_exclude((u32)pid, false), 0);
    CHECK_IS(WAIT_FOR(sum_of(session, pid).counts[LARX] > after.counts[LARX] &&
                      sum_of(session, pid).counts[KERNEL] > after.counts[KERNEL]),
             true);
    CHECK_IS(sys_pmu_exclude((u32)pid, true), 0);
    before = sum_of(session, pid);
    CHECK_IS(before.counts[KERNEL] > after.counts[KERNEL], true);
    CHECK_IS(sys_process_kill((u32)pid, 7), 0);
    await(pid, true);
    CHECK_IS(sys_pmu_exclude((u32)pid, true), E_NOENT);
    after = sum_of(session, pid);
    CHECK_IS(after.counts[LARX], before.counts[LARX]);
    CHECK_IS(after.counts[KERNEL], before.counts[KERNEL]);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

// ---- refusals -----------------------------------------------------------------------------------

static void bad_requests(void)
{
    struct sys_pmu_counting counting = by_task(0);
    u64 cursor = 0;
    u8 places[SYS_PMU_ITEMS];
    struct found found;
    CHECK_IS(sys_pmu_exclude(0, true), E_INVAL);
    CHECK_IS(sys_pmu_exclude(UINT32_MAX, true), E_NOENT);
    s64 session = start(&counting);
    CHECK_IS(sys_pmu_count_tasks(session, 0, &cursor, &found, sizeof(found)), E_INVAL);
    CHECK_IS(sys_pmu_count_open(session, places), E_INVAL);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    counting.flags = SYS_PMU_BY_PROCESS;
    session = start(&counting);
    CHECK_IS(sys_pmu_count_tasks(session, 0, &cursor, &found, sizeof(found) - 1), E_INVAL);
    CHECK_IS(sys_pmu_count_tasks(session, user_cpu_count(), &cursor, &found, sizeof(found)),
             E_INVAL);
    CHECK_IS(sys_pmu_count_tasks(session + 1, 0, &cursor, &found, sizeof(found)), E_STALE);
    cursor = UINT64_MAX;
    CHECK_IS(sys_pmu_count_tasks(session, 0, &cursor, &found, sizeof(found)), E_INVAL);
    CHECK_IS(sys_pmu_count_tasks(session, 0, NULL, &found, sizeof(found)), E_FAULT);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

void tasks(void)
{
    bad_requests();
    if (counters("instructions") < 3) // which these take
        return;
    processes_are_counted_apart();
    a_process_dies_while_counted();
    threads_are_counted_apart();
    tasks_take_turns();
    the_excluded_are_missing();
    exclusion_hits_who_runs();
    printf("test-pmu: tasks done\n");
}
