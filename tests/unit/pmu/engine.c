// SPDX-License-Identifier: MIT
// One CPU's engine with one session.
#include "engine_harness.h"

#include <orrery/errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pmu_estimate estimate(u32 item)
{
    return estimate_of(0, item);
}

static u64 sums_time(void)
{
    return sessions[0].tally.sums->time;
}

static void one_group_counts_everything(void **state)
{
    (void)state;
    add(MODEL_INSTRUCTIONS, SYS_PMU_USER);
    add(MODEL_LOADS, SYS_PMU_KERNEL);
    add(MODEL_STCX, SYS_PMU_USER);
    assert_int_equal(begin(), 0);
    assert_int_equal(groups(), 1);
    u64 before = unit.totals[MODEL_INSTRUCTIONS][1];
    for (u32 i = 0; i < 1000; i++) {
        run(i);
        pmu_engine_flush(&engine);
    }
    end();
    run(100);
    assert_int_equal(estimate(0).count, 100 * 999 * 500 + before);
    assert_int_equal(estimate(1).count, 3 * 999 * 500);
    assert_int_equal(estimate(2).count, MODEL_STCX * 999 * 500);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(estimate(i).error, 0);
        assert_int_equal(estimate(i).measured, estimate(i).time);
    }
    // All instructions, those of the commands too, but the ones at the ends.
    assert_in_range(estimate(0).time, 110 * 999 * 500,
                    110 * 999 * 500 + 1001 * COMMAND_INSTRUCTIONS);
}

static void slices_last_as_long_as_they_shall(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    assert_true(groups() > 2);
    run(SLICE / 110 / 2);
    pmu_engine_tick(&engine);
    assert_int_equal(sums_time(), 0);
    run(SLICE / 110);
    pmu_engine_tick(&engine);
    assert_in_range(sums_time(), SLICE, 2 * SLICE);
    end();
}

static void groups_take_turns_and_something_counts_always(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    u64 rounds = 0;
    for (u32 i = 0; i < 2000; i++) {
        run(20 + i % 7 * 10);
        rounds += 20 + i % 7 * 10;
        pmu_engine_tick(&engine);
    }
    end();
    check_estimates(0, rounds);
}

static void a_prepared_unit_counts_the_same(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    end();
    open_session(0);
    assert_int_equal(change(true), 0);
    assert_true(unit.must_count);
    run(1000);
    pmu_engine_flush(&engine);
    end();
    assert_in_range(sums_time(), 1000 * 110, 1000 * 110 + 10 * COMMAND_INSTRUCTIONS);
}

// Whichever command fails: the error is kept, nothing counts any more, and nothing else happens.
static void failures_end_the_counting(void **state)
{
    (void)state;
    u32 failed = 0;
    for (u64 failing = 1; failing < 200; failing++) {
        tear_down(NULL);
        set_up(NULL);
        add_many();
        unit.failing = failing;
        s64 error = begin();
        assert_int_equal(error, engine.error);
        for (u32 i = 0; i < 30; i++) {
            run(200);
            pmu_engine_tick(&engine);
        }
        if (engine.error != 0) {
            failed++;
            u64 time = sums_time();
            run(1000);
            pmu_engine_flush(&engine);
            assert_int_equal(sums_time(), time);
        }
        end();
        assert_int_equal(enabled(), 0);
    }
    assert_true(failed > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_group_counts_everything),
        TEST(slices_last_as_long_as_they_shall),
        TEST(groups_take_turns_and_something_counts_always),
        TEST(a_prepared_unit_counts_the_same),
        TEST(failures_end_the_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
