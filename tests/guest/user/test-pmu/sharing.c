// SPDX-License-Identifier: MIT
// Several sessions at once. A session that is counted all the time misses nothing, whoever comes,
// takes turns or goes. One that excludes others takes turns with them. One that does not fit is
// refused by name.
#include "tests.h"

#include <rows.h>
#include <string.h>
#include <user/scheduler.h>

#define TURNS 200000UL
#define LONG 4000000UL // turns of a loop that sessions take turns in
#define LONGEST (50 * LONG)
#define SLACK 1000 // instructions around the loops: calls and their checks

static u64 count_here(s64 session, u32 cpu, const struct sys_pmu_counting *counting, u32 item)
{
    struct scaled_count found[SYS_PMU_ITEMS];
    read_counts(session, cpu, counting, found);
    CHECK_IS(found[item].error, 0);
    return found[item].count;
}

// All events that there are but for larx, in both modes: more than there are counters.
static struct sys_pmu_counting all_others(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_event event;
    for (u32 i = 0; sys_pmu_event_get(i, &event) == 0; i++) {
        if (strcmp(event.name, "larx") == 0)
            continue;
        add(&counting, event.name, SYS_PMU_USER, 0);
        add(&counting, event.name, SYS_PMU_KERNEL, 0);
    }
    counting.slice = SYS_PMU_SLICE_MIN;
    return counting;
}

static struct row_tally instructions_row, larx_row, second_row;

// The loop runs while the other comes, while it is there, and when it is gone.
static void others_come_and_go(void *argument)
{
    u32 cpu = *(u32 *)argument;
    struct sys_pmu_counting counting = request(), second = request(), others = all_others();
    add(&counting, "larx", SYS_PMU_USER, 0);
    add(&counting, "instructions", SYS_PMU_USER, 0);
    add(&second, "instructions", SYS_PMU_USER, 0); // the first counts them, too
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    u64 larx = count_here(session, cpu, &counting, 0);
    u64 instructions = count_here(session, cpu, &counting, 1);
    work(TURNS);
    s64 beside = start(&second);
    CHECK_IS(beside > session, true);
    work(TURNS);
    s64 in_turn = start(&others);
    CHECK_IS(in_turn > beside, true);
    work(TURNS);
    CHECK_IS(sys_pmu_count_stop(in_turn), 0);
    work(TURNS);
    u64 of_second = count_here(beside, cpu, &second, 0);
    CHECK_IS(sys_pmu_count_stop(beside), 0);
    work(TURNS);
    larx = count_here(session, cpu, &counting, 0) - larx;
    instructions = count_here(session, cpu, &counting, 1) - instructions;
    CHECK_IS(sys_pmu_count_stop(session), 0);
    row_compare(&larx_row, 5 * TURNS, 5 * TURNS + SLACK, larx);
    row_compare(&instructions_row, 5 * TURNS * WORK_INSTRUCTIONS,
                5 * TURNS * WORK_INSTRUCTIONS + 30 * SLACK, instructions);
    row_compare(&second_row, 3 * TURNS * WORK_INSTRUCTIONS,
                3 * TURNS * WORK_INSTRUCTIONS + 20 * SLACK, of_second);
}

static void who_is_there_misses_nothing(void)
{
    for (u32 round = 0; round < 3; round++) {
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            on_cpu(cpu, others_come_and_go, &cpu);
    }
    row_of(&larx_row, "larx of a session beside which others come and go");
    row_of(&instructions_row, "  its instructions");
    row_of(&second_row, "  those of one of them");
}

// A busy host ends turns late, and what is late is made up for in the long run only.
static bool has_turns(s64 session, const struct sys_pmu_counting *counting)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct scaled_count found[SYS_PMU_ITEMS];
        read_counts(session, cpu, counting, found);
        u64 permille = found->measured * 1000 / found->total;
        if (permille < 200 || permille > 800)
            return false;
    }
    return true;
}

// One counter counts larx: each of the two has half of the time.
static void who_excludes_others_takes_turns(void)
{
    u64 turns = 0;
    struct sys_pmu_counting of_users = request(), of_both = request();
    struct scaled_count found[2][SYS_PMU_ITEMS];
    struct row_tally rows[2] = {0}, measured = {0};
    add(&of_users, "larx", SYS_PMU_USER, 0);
    add(&of_both, "larx", BOTH, 0);
    of_users.slice = of_both.slice = SYS_PMU_SLICE_MIN;
    s64 first = start(&of_users), second = start(&of_both);
    CHECK_IS(second > first && first > 0, true);
    do {
        work_everywhere(LONG);
        turns += LONG;
    } while (!has_turns(first, &of_users) && turns < LONGEST);
    CHECK_IS(sys_pmu_count_stop(first), 0);
    CHECK_IS(sys_pmu_count_stop(second), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_counts(first, cpu, &of_users, found[0]);
        read_counts(second, cpu, &of_both, found[1]);
        for (u32 i = 0; i < 2; i++)
            row_compare(&rows[i], turns - found[i]->error, turns + found[i]->error + turns / 50,
                        found[i]->count);
        row_compare(&measured, 100, 900, found[0]->measured * 1000 / found[0]->total);
    }
    row_of(&rows[0], "larx of users, in turn with larx of another session");
    row_of(&rows[1], "  larx of the other");
    row_of(&measured, "  permille of the time");
}

// Programs that read a counter keep it.
static void who_does_not_fit_is_refused_by_name(void)
{
    struct sys_pmu_counting readable = request(), counting = request();
    add(&readable, "larx", SYS_PMU_USER, 0);
    readable.flags = SYS_PMU_READABLE;
    add(&counting, "larx", SYS_PMU_KERNEL, 0);
    s64 session = start(&readable);
    CHECK_IS(session > 0, true);
    CHECK_IS(start(&counting), E_BUSY);
    CHECK_IS(strstr(message, "larx:u") != NULL && strstr(message, "larx:k") != NULL, true);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    session = start(&counting);
    CHECK_IS(session > 0, true);
    CHECK_IS(start(&readable), E_BUSY);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

static void there_is_an_end_to_sessions(void)
{
    struct sys_pmu_counting counting = request();
    s64 sessions[SYS_PMU_SESSIONS];
    add(&counting, "larx", BOTH, 0);
    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++) {
        sessions[i] = start(&counting);
        CHECK_IS(sessions[i] > 0, true);
    }
    CHECK_IS(start(&counting), E_BUSY);
    for (u32 i = 0; i < SYS_PMU_SESSIONS; i++)
        CHECK_IS(sys_pmu_count_stop(sessions[i]), 0);
}

void sharing(void)
{
    if (counters("larx") == 1) { // the 970FX, which has room beside two events
        who_is_there_misses_nothing();
        who_excludes_others_takes_turns();
        who_does_not_fit_is_refused_by_name();
    }
    there_is_an_end_to_sessions();
}
