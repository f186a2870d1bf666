// SPDX-License-Identifier: MIT
// Groups that take turns: all events at once, and sets with shares of the time.
#include "tests.h"

#include <rows.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define TURNS 8000000UL
#define SHARE_TURNS 5000000UL
#define SLICE 100000
#define IDLE_SLICE 100000000
#define IDLE_MICROSECONDS 2000000
#define IDLE_SLEEPS 40
#define IDLE_RATE 400000 // instructions a second and CPU; with ticks it would be 800,000
#define SLACK 3000       // of any event: what the library does beside the loops

static const struct {
    const char *name;
    u64 each; // turn
} known[] = {
    {"instructions", WORK_INSTRUCTIONS},
    {"larx", WORK_LARX},
    {"stcx", WORK_STCX},
    {"branches", WORK_BRANCHES},
    {"taken", WORK_BRANCHES},
    {"loads", WORK_LOADS},
    {"stores", WORK_STORES},
    {"mispredicted", 0},
    {"dtlb-miss", 0},
    {"l2-miss", 0},
};

static u64 distance(u64 a, u64 b)
{
    return a < b ? b - a : a - b;
}

// What is measured beside the loops, starting and ending threads, is one part of the time that no
// other slice is like.
// Counts of the loops are scaled to it as well.
static u64 slack(u32 i, u64 turns, const struct scaled_count *found)
{
    u64 beside = found->total - turns * WORK_INSTRUCTIONS;
    return SLACK + beside * known[i].each / WORK_INSTRUCTIONS;
}

// Whether all items had their turns, and those that are judged so often that their errors are
// small. What is allowed grows with the work and errors with its root, so that it comes.
static bool had_turns(s64 session, const struct sys_pmu_counting *counting, u64 turns)
{
    struct scaled_count found[SYS_PMU_ITEMS];
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, counting, found);
        for (u32 i = 0; i < counting->item_count; i++) {
            u64 most =
                i < ARRAY_SIZE(known) ? turns * known[i].each / 10 + turns / 1000 : UINT64_MAX;
            if (found[i].measured <= found[i].total / 20 || found[i].error >= most)
                return false;
        }
    }
    return true;
}

// An error is 2.6 standard deviations, or more where there were few turns (Student's distribution):
// four of them are exceeded in less than one of 10^10 cases.
static void check_item(u32 cpu, u32 i, u64 turns, const struct scaled_count *found)
{
    u64 expected = turns * known[i].each;
    CHECK_IS(found->measured <= found->total, true);
    CHECK_IS(found->total > turns * WORK_INSTRUCTIONS, true);
    u64 most = 4 * found->error + slack(i, turns, found);
    row_range(expected > most ? expected - most : 0, expected + most, found->count,
              "turns, CPU %u: %s, measured %lu %% of the time", cpu, known[i].name,
              found->measured * 100 / found->total);
}

// A host that lets slices end late makes few of them: then more work.
static void all_events_at_once(void)
{
    struct sys_pmu_counting counting = request();
    struct scaled_count found[SYS_PMU_ITEMS];
    u64 turns = 0, deadline = patience();
    u32 parted = 0;
    counting.slice = SLICE;
    for (u32 i = 0; i < ARRAY_SIZE(known); i++)
        add(&counting, known[i].name, SYS_PMU_USER, 0);
    for (u32 i = 0; i < ARRAY_SIZE(known); i++)
        add(&counting, known[i].name, BOTH, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    do {
        work_everywhere(TURNS);
        turns += TURNS;
    } while (!had_turns(session, &counting, turns) && wait_more(deadline));
    CHECK_IS(sys_pmu_count_stop(session), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, &counting, found);
        for (u32 i = 0; i < ARRAY_SIZE(known); i++) {
            check_item(cpu, i, turns, &found[i]);
            parted += found[i].measured < found[i].total;
        }
    }
    CHECK_IS(parted > user_cpu_count() * ARRAY_SIZE(known) / 2, true);
}

static const u32 shares[] = {7, 2, 1};

static u64 permille_of(const struct scaled_count *count)
{
    return count->measured * 1000 / count->total;
}

// Whether they are, less or more than 2 % of the time.
static bool have_shares(s64 session, const struct sys_pmu_counting *counting)
{
    struct scaled_count found[SYS_PMU_ITEMS];
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, counting, found);
        for (u32 set = 0; set < ARRAY_SIZE(shares); set++)
            if (distance(permille_of(&found[set]), 100 * shares[set]) > 20)
                return false;
    }
    return true;
}

static void check_share(u32 cpu, const struct scaled_count *count, u64 permille)
{
    row_range(permille - 20, permille + 20, permille_of(count),
              "turns, CPU %u: a share of %lu permille", cpu, permille);
}

// Slices are as long as a timer that is late makes them: what one was too long is
// made up for, which needs time.
static void sets_get_their_shares(void)
{
    struct sys_pmu_counting counting = request();
    struct scaled_count found[SYS_PMU_ITEMS];
    u64 deadline = patience();
    counting.slice = 4 * SLICE;
    counting.set_count = ARRAY_SIZE(shares);
    for (u32 set = 0; set < ARRAY_SIZE(shares); set++)
        counting.shares[set] = shares[set];
    add(&counting, "larx", SYS_PMU_USER, 0);
    add(&counting, "larx", SYS_PMU_USER, 1);
    add(&counting, "larx", SYS_PMU_USER, 2);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    do
        work_everywhere(SHARE_TURNS);
    while (!have_shares(session, &counting) && wait_more(deadline));
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, &counting, found);
        check_share(cpu, &found[0], 700);
        check_share(cpu, &found[1], 200);
        check_share(cpu, &found[2], 100);
        u64 sum = found[0].measured + found[1].measured + found[2].measured;
        row_exact(found[0].total, sum, "  the shares' times = all");
    }
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

// ---- idle CPUs ----------------------------------------------------------------------------------

static void sleep_often(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < IDLE_SLEEPS; i++)
        thread_sleep_us(IDLE_MICROSECONDS / IDLE_SLEEPS);
}

static u64 sum_all(s64 session, const struct sys_pmu_counting *counting)
{
    struct scaled_count found[SYS_PMU_ITEMS];
    u64 sum = 0;
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, counting, found);
        sum += found[0].total;
    }
    return sum;
}

// Returns what the CPUs have executed meanwhile, and how long that was.
static u64 execute_idly(s64 session, const struct sys_pmu_counting *counting, u64 *microseconds)
{
    u64 before = sum_all(session, counting), begin = time_now();
    on_cpu(0, sleep_often, NULL);
    *microseconds = time_to_us(time_now() - begin);
    return sum_all(session, counting) - before;
}

static u64 idle_most(u64 microseconds)
{
    return IDLE_RATE * user_cpu_count() * microseconds / 1000000;
}

// Whether each count of CPU 0 took turns, and has had enough of them for an error.
static bool have_errors(s64 session, const struct sys_pmu_counting *counting)
{
    struct scaled_count found[SYS_PMU_ITEMS];
    bool all = true;

    read_counts(session, 0, counting, found);
    for (u32 i = 0; i < counting->item_count; i++)
        all = all && found[i].measured < found[i].total && found[i].error != UINT64_MAX;
    return all;
}

// Nothing runs but a thread that mostly sleeps. All that the CPUs execute is then less than half of
// what a tick each millisecond would. The one that the thread wakes has turns all the same, though
// its slices are far from long enough: soon, wherever the turns begin. A CPU that waits for another
// one executes as long as a busy host does not run that one: then again. Ticks would always come.
static void idle_cpus_have_no_ticks(void)
{
    u64 microseconds, executed, deadline = patience();
    struct sys_pmu_counting counting = request();
    counting.slice = IDLE_SLICE;
    counting.set_count = 2;
    counting.shares[1] = counting.shares[0];
    add(&counting, "larx", SYS_PMU_USER, 0);
    add(&counting, "larx", SYS_PMU_USER, 1);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    do
        executed = execute_idly(session, &counting, &microseconds);
    while ((executed > idle_most(microseconds) || !have_errors(session, &counting)) &&
           wait_more(deadline));
    row_range(0, idle_most(microseconds), executed, "idle CPUs' instructions in %lu ms",
              microseconds / 1000);
    CHECK_IS(executed > 0, true);
    CHECK_IS(have_errors(session, &counting), true);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

void turns(void)
{
    all_events_at_once();
    sets_get_their_shares();
    idle_cpus_have_no_ticks();
}
