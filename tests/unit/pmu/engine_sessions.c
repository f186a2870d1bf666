// SPDX-License-Identifier: MIT
// One CPU's engine with several sessions, which come and go.
#include "engine_harness.h"

#include <orrery/errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void who_is_there_misses_nothing_when_others_come_and_go(void **state)
{
    (void)state;
    add_two();
    assert_int_equal(begin(), 0);
    u64 rounds = run_and_tick(100);

    // One that finds room beside it, and one that has to take turns.
    counting.item_count = 0;
    add(MODEL_STCX, SYS_PMU_USER);
    add(MODEL_INSTRUCTIONS, SYS_PMU_KERNEL | SYS_PMU_USER);
    open_session(1);
    assert_int_equal(change(false), 0);
    assert_int_equal(groups(), 1);
    u64 second = run_and_tick(100);
    counting.item_count = 0;
    add_many();
    open_session(2);
    assert_int_equal(change(true), 0);
    assert_true(groups() > 2);
    u64 third = run_and_tick(2000);
    sessions[2].open = false;
    assert_int_equal(change(false), 0);
    assert_int_equal(groups(), 1);
    u64 fourth = run_and_tick(100);
    sessions[1].open = false;
    assert_int_equal(change(false), 0);
    u64 fifth = run_and_tick(100);
    end();

    check_estimates(2, third);
    assert_int_equal(estimate_of(1, 0).count, MODEL_STCX * (second + third + fourth));
    assert_int_equal(estimate_of(1, 0).error, 0);
    check_exact(0, rounds + second + third + fourth + fifth);
}

// Steady claims keep their counters, which programs read.
static void steady_sessions_keep_their_counters(void **state)
{
    (void)state;
    counting.flags = SYS_PMU_READABLE;
    add_two();
    assert_int_equal(begin(), 0);
    u32 loads = pmu_view_counter(&engine.plan->view[0], sessions[0].plan.place[0]);
    u32 stores = pmu_view_counter(&engine.plan->view[0], sessions[0].plan.place[1]);
    u64 rounds = run_and_tick(10);
    counting.flags = 0;
    counting.item_count = 0;
    add_many();
    open_session(1);
    assert_int_equal(change(true), 0);
    rounds += run_and_tick(2000);
    assert_int_equal(pmu_view_counter(&engine.plan->view[0], sessions[0].plan.place[0]), loads);
    assert_int_equal(pmu_view_counter(&engine.plan->view[0], sessions[0].plan.place[1]), stores);
    assert_int_equal(unit.counters[loads].value, 3 * rounds);
    end();
    check_exact(0, rounds);
}

// Two that do not fit together at all take turns, and both are right within their errors.
static void sessions_that_exclude_each_other_take_turns(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    open_session(1);
    assert_int_equal(change(true), 0);
    u64 rounds = run_and_tick(4000);
    end();
    check_estimates(0, rounds);
    check_estimates(1, rounds);
}

// A session that has counted too much ends; the others go on.
static void one_that_has_counted_too_much_ends_alone(void **state)
{
    (void)state;
    add_two();
    assert_int_equal(begin(), 0);
    open_session(1);
    assert_int_equal(change(false), 0);
    u64 rounds = run_and_tick(10);
    sessions[1].tally.sums->time = PMU_COUNT_MAX;
    pmu_engine_flush(&engine);
    rounds += run_and_tick(10);
    end();
    assert_int_equal(sessions[1].tally.error, E_LIMIT);
    assert_int_equal(sessions[0].tally.error, 0);
    check_exact(0, rounds);
}

// A newcomer for which the unit fails takes nobody with it: who has brought it takes it away.
static void a_newcomer_that_fails_harms_nobody(void **state)
{
    (void)state;
    u32 failed = 0;
    for (u64 failing = 1; failing < 12; failing++) {
        tear_down(NULL);
        set_up(NULL);
        add_two();
        assert_int_equal(begin(), 0);
        u64 rounds = run_and_tick(10);
        counting.item_count = 0;
        add_many();
        open_session(1);
        unit.must_count = false;
        unit.failing = unit.commands + failing;
        s64 error = change(false);
        unit.failing = 0;
        assert_int_equal(sessions[0].tally.error, 0);
        assert_int_equal(sessions[1].tally.error, error);
        failed += error != 0;
        sessions[1].open = false;
        assert_int_equal(change(false), 0);
        rounds += run_and_tick(10);
        end();
        check_exact(0, rounds);
    }
    assert_true(failed > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(who_is_there_misses_nothing_when_others_come_and_go),
        TEST(steady_sessions_keep_their_counters),
        TEST(sessions_that_exclude_each_other_take_turns),
        TEST(one_that_has_counted_too_much_ends_alone),
        TEST(a_newcomer_that_fails_harms_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
