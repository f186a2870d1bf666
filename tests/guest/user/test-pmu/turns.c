// SPDX-License-Identifier: MIT
// Groups that take turns: all events at once, and sets with shares of the time.
#include "tests.h"

#include <rows.h>
#include <string.h>
#include <user/scheduler.h>

#define TURNS 8000000UL
#define SHARE_TURNS 40000000UL
#define SLICE 100000
#define SLACK 3000 // of any event: what the library does beside the loops

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

// What is measured beside the loops, starting and ending threads, is one part of the time that no other slice is like.
// Counts of the loops are scaled to it as well.
static u64 slack(u32 i, const struct sys_pmu_count *found)
{
    u64 beside = found->total - TURNS * WORK_INSTRUCTIONS;
    return SLACK + beside * known[i].each / WORK_INSTRUCTIONS;
}

struct tally {
    u32 intervals, holding;
};

static void check_item(u32 cpu, u32 i, const struct sys_pmu_count *found, struct tally *tally)
{
    u64 expected = TURNS * known[i].each;
    u64 off = distance(found->count, expected);
    CHECK_IS(found->measured > found->total / 20 && found->measured <= found->total, true);
    CHECK_IS(found->total > TURNS * WORK_INSTRUCTIONS, true);
    CHECK_IS(found->total < TURNS * WORK_INSTRUCTIONS * 11 / 10, true);
    CHECK_IS(found->error < expected / 10 + SLACK, true);
    u64 most = 3 * found->error + slack(i, found);
    row_range(expected > most ? expected - most : 0, expected + most, found->count,
              "turns, CPU %u: %s, measured %lu %% of the time", cpu, known[i].name,
              found->measured * 100 / found->total);
    tally->intervals++;
    tally->holding += off <= found->error + slack(i, found);
}

// 99 of 100 intervals hold the truth; so that chance fails this less than once in a million runs, 8 of 10.
static void all_events_at_once(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count found[SYS_PMU_ITEMS];
    struct tally tally = {0};
    u32 parted = 0;
    counting.slice = SLICE;
    for (u32 i = 0; i < ARRAY_SIZE(known); i++)
        add(&counting, known[i].name, SYS_PMU_USER, 0);
    for (u32 i = 0; i < ARRAY_SIZE(known); i++)
        add(&counting, known[i].name, BOTH, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    work_everywhere(TURNS);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, &counting, found);
        for (u32 i = 0; i < ARRAY_SIZE(known); i++) {
            check_item(cpu, i, &found[i], &tally);
            parted += found[i].measured < found[i].total;
        }
    }
    CHECK_IS(parted > tally.intervals / 2, true);
    row_range((tally.intervals * 8 + 9) / 10, tally.intervals, tally.holding,
              "  intervals of %u that hold the truth", tally.intervals);
}

// In permille; more or less than 2 % of the time away.
static void check_share(u32 cpu, const struct sys_pmu_count *count, u64 permille)
{
    u64 found = count->measured * 1000 / count->total;
    row_range(permille - 20, permille + 20, found, "turns, CPU %u: a share of %lu permille", cpu,
              permille);
}

// Slices are as long as a timer that is late makes them: what one was too long is made up for, which needs time.
static void sets_get_their_shares(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count found[SYS_PMU_ITEMS];
    counting.slice = 4 * SLICE;
    counting.set_count = 3;
    for (u32 set = 0; set < 3; set++)
        counting.shares[set] = (const u32[]){7, 2, 1}[set];
    add(&counting, "larx", SYS_PMU_USER, 0);
    add(&counting, "larx", SYS_PMU_USER, 1);
    add(&counting, "larx", SYS_PMU_USER, 2);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    work_everywhere(SHARE_TURNS);
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

void turns(void)
{
    all_events_at_once();
    sets_get_their_shares();
}
