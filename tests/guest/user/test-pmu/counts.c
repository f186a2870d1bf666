// SPDX-License-Identifier: MIT
// One group, which counts all the time: every event of a loop is there, and not many more.
#include "tests.h"

#include <stdio.h>
#include <user/scheduler.h>

#define TURNS 200000UL
#define ROUNDS 5
#define SLACK                                                                                      \
    20000 // what the library does in user mode beside the loop, of any event: threads made and joined

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

struct round {
    s64 session;
    u32 cpu;
    s64 bytes[2];
    struct sys_pmu_count before[SYS_PMU_ITEMS], after[SYS_PMU_ITEMS];
};

static void count_loop(void *argument)
{
    struct round *round = argument;
    u64 bytes = sizeof(round->before);
    round->bytes[0] = sys_pmu_count_read(round->session, round->cpu, round->before, bytes);
    work(TURNS);
    round->bytes[1] = sys_pmu_count_read(round->session, round->cpu, round->after, bytes);
}

static void check_round(const struct sys_pmu_count before[], const struct sys_pmu_count after[],
                        u32 first, u32 number)
{
    for (u32 i = 0; i < number; i++) {
        const char *name = expected[first + i].name;
        u64 found = after[i].count - before[i].count;
        u64 least = TURNS * expected[first + i].each;
        if (found < least || found > least + SLACK)
            printf("FAIL %s: %lu, not %lu … %lu\n", name, found, least, least + SLACK);
        failures += found < least || found > least + SLACK;
        CHECK_IS(after[i].error, 0);
        CHECK_IS(after[i].measured, after[i].total);
        CHECK_IS(after[i].total > before[i].total, true);
    }
}

// The counts are read on the CPU itself, while it goes on.
static void loops_are_counted_exactly(u32 first, u32 number)
{
    struct sys_pmu_counting counting = request();
    static struct round round;
    for (u32 i = 0; i < number; i++)
        add(&counting, expected[first + i].name, SYS_PMU_USER, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    for (u32 i = 0; i < ROUNDS * user_cpu_count(); i++) {
        round = (struct round){.session = session, .cpu = i % user_cpu_count()};
        on_cpu(round.cpu, count_loop, &round);
        CHECK_IS(round.bytes[0], counting.item_count * sizeof(round.before[0]));
        CHECK_IS(round.bytes[1], round.bytes[0]);
        check_round(round.before, round.after, first, number);
    }
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

// By one group's counters at the same instant, whatever ran.
static void modes_add_up(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count found[SYS_PMU_ITEMS];
    add(&counting, "instructions", SYS_PMU_USER, 0);
    add(&counting, "instructions", SYS_PMU_KERNEL, 0);
    add(&counting, "instructions", BOTH, 0); // what slices are measured in as well
    s64 session = start(&counting);
    work_everywhere(TURNS);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(session, cpu, &counting, found);
        CHECK_IS(found[0].count + found[1].count, found[2].count);
        CHECK_IS(found[2].count, found[2].total);
        CHECK_IS(found[0].count > TURNS * WORK_INSTRUCTIONS, true);
        CHECK_IS(found[1].count > 0, true);
    }
}

void counts(void)
{
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++)
        loops_are_counted_exactly(i, 1);
    if (counters("larx") == 1) // the 970FX, on which they fit together
        loops_are_counted_exactly(0, ARRAY_SIZE(expected));
    if (counters("instructions") >= 3)
        modes_add_up();
}
