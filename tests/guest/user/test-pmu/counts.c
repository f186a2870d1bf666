// SPDX-License-Identifier: MIT
// One group, which counts all the time: every event of a loop is there, and not many more.
#include "tests.h"

#include <rows.h>
#include <user/scheduler.h>

#define TURNS 200000UL
#define LIMITS 3
#define ROUNDS 5
#define SLACK 200 // instructions around the loop: returning from one call, and making the other

static const struct {
    const char *name;
    u64 each; // turn
} expected[] = {
    {"instructions", WORK_INSTRUCTIONS},
    {"larx", WORK_LARX},
    {"stcx", WORK_STCX},
    {"loads", WORK_LOADS},
    {"stores", WORK_STORES},
    {"branches", WORK_BRANCHES},
};

static const u64 limits[LIMITS] = {1000, 20000, TURNS};

struct round {
    s64 session;
    u64 turns;
    u32 cpu;
    s64 bytes[2];
    struct sys_pmu_count before[SYS_PMU_ITEMS], after[SYS_PMU_ITEMS];
};

static void count_loop(void *argument)
{
    struct round *round = argument;
    u64 bytes = sizeof(round->before);
    round->bytes[0] = sys_pmu_count_read(round->session, round->cpu, round->before, bytes);
    work(round->turns);
    round->bytes[1] = sys_pmu_count_read(round->session, round->cpu, round->after, bytes);
}

static void check_round(const struct round *round, u32 first, u32 number, struct row_tally rows[])
{
    const struct sys_pmu_count *before = round->before, *after = round->after;
    for (u32 i = 0; i < number; i++) {
        u64 least = round->turns * expected[first + i].each;
        row_compare(&rows[i], least, least + SLACK, after[i].count - before[i].count);
        CHECK_IS(after[i].measured, after[i].total);
        CHECK_IS(after[i].total > before[i].total, true);
    }
}

// The counts are read on the CPU itself, while it goes on.
static void loops_are_counted_exactly(u32 first, u32 number)
{
    struct sys_pmu_counting counting = request();
    static struct round round;
    struct row_tally rows[LIMITS][ARRAY_SIZE(expected)] = {0};
    for (u32 i = 0; i < number; i++)
        add(&counting, expected[first + i].name, SYS_PMU_USER, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    for (u32 i = 0; i < ROUNDS * LIMITS * user_cpu_count(); i++) {
        u32 limit = i / user_cpu_count() % LIMITS;
        round =
            (struct round){.session = session, .turns = limits[limit], .cpu = i % user_cpu_count()};
        on_cpu(round.cpu, count_loop, &round);
        CHECK_IS(round.bytes[0], counting.item_count * sizeof(round.before[0]));
        CHECK_IS(round.bytes[1], round.bytes[0]);
        check_round(&round, first, number, rows[limit]);
    }
    CHECK_IS(sys_pmu_count_stop(session), 0);
    for (u32 i = 0; i < number; i++)
        for (u32 limit = 0; limit < LIMITS; limit++)
            row_of(&rows[limit][i], "user loop, %lu turns, %s: %s", limits[limit],
                   number == 1 ? "alone" : "together", expected[first + i].name);
}

// By one group's counters at the same instant, whatever ran.
static void modes_add_up(void)
{
    struct sys_pmu_counting counting = request();
    struct scaled_count found[SYS_PMU_ITEMS];
    struct row_tally sums = {0};
    add(&counting, "instructions", SYS_PMU_USER, 0);
    add(&counting, "instructions", SYS_PMU_KERNEL, 0);
    add(&counting, "instructions", BOTH, 0); // what slices are measured in as well
    s64 session = start(&counting);
    work_everywhere(TURNS);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, &counting, found);
        row_compare(&sums, found[2].count, found[2].count, found[0].count + found[1].count);
        CHECK_IS(found[2].count, found[2].total);
        CHECK_IS(found[0].count > TURNS * WORK_INSTRUCTIONS, true);
        CHECK_IS(found[1].count > 0, true);
    }
    row_of(&sums, "instructions: of users + of the kernel = of both");
}

// As many as a session can have, whichever are counted at a time.
static void all_items_are_read(void)
{
    struct sys_pmu_counting counting = request();
    static struct sys_pmu_count counts[SYS_PMU_ITEMS];
    while (counting.item_count < SYS_PMU_ITEMS)
        add(&counting, "instructions", SYS_PMU_USER, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    CHECK_IS(sys_pmu_count_read(session, 0, counts, sizeof(counts)), sizeof(counts));
    for (u32 i = 0; i < SYS_PMU_ITEMS; i++)
        CHECK_IS(counts[i].total > 0 || counts[i].measured == 0, true);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

void counts(void)
{
    all_items_are_read();
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++)
        loops_are_counted_exactly(i, 1);
    if (counters("larx") == 1) // the 970FX, on which they fit together
        loops_are_counted_exactly(0, ARRAY_SIZE(expected));
    if (counters("instructions") >= 3)
        modes_add_up();
}
