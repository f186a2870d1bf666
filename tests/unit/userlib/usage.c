// SPDX-License-Identifier: MIT
// Policies of the library's scheduler: what usage costs, and when it is forgotten.
#include "usage.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void a_slice_doubles_up_to_160_ms(void **state)
{
    const u32 expected[] = {20000, 40000, 80000, 160000, 160000, 160000};
    u32 slice = 10000;

    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++) {
        slice = usage_longer(slice);
        assert_int_equal(slice, expected[i]);
    }
}

static void two_slices_cost_a_step_and_three_steps_are_most(void **state)
{
    const u32 expected[] = {5, 5, 4, 4, 3, 3, 2, 2, 2, 2};

    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++)
        assert_int_equal(usage_lowered(&(struct usage){.slices = i}, 5), expected[i]);
    assert_int_equal(usage_lowered(&(struct usage){.slices = UINT64_MAX}, 5), 2);
    assert_int_equal(usage_lowered(&(struct usage){.slices = 4}, 1), 0);
    assert_int_equal(usage_lowered(&(struct usage){.slices = 4}, 2), 0);
    assert_int_equal(usage_lowered(&(struct usage){.slices = 1}, 0), 0);
}

static void usage_counts_half_after_each_period(void **state)
{
    struct usage usage = {.slices = 20, .period = 7};

    (void)state;
    usage_decay(&usage, 7);
    assert_int_equal(usage.slices, 20);
    usage_decay(&usage, 8);
    assert_int_equal(usage.slices, 10);
    usage_decay(&usage, 10);
    assert_int_equal(usage.slices, 2);
    usage_charge(&usage, 10);
    assert_int_equal(usage.slices, 3);
    usage_charge(&usage, 11);
    assert_int_equal(usage.slices, 2);
    usage_decay(&usage, 11 + 64);
    assert_int_equal(usage.slices, 0);
}

// The bug: what passed while it waited is not forgotten, what passes while it runs is.
static void the_starving_forget_only_while_they_run(void **state)
{
    struct usage growing = {.slices = 8, .period = 1}, starving = growing;

    (void)state;
    usage_decay(&growing, 4);
    usage_run_starved(&starving, 4);
    assert_int_equal(growing.slices, 1);
    assert_int_equal(starving.slices, 8);
    usage_decay(&starving, 5);
    assert_int_equal(starving.slices, 4);
}

// main waits at a low priority for a thread that never sleeps, whose long slices cost it little.
static void starvation_has_an_end(void **state)
{
    const u64 begin = 7;
    struct usage waits = {.slices = 8, .period = begin}, runs = {.slices = 0, .period = begin};
    u64 period = begin;

    (void)state;
    for (; period < begin + USAGE_STARVED_PERIODS; period += 2) { // a slice of 160 ms
        usage_charge(&runs, period);
        usage_decay_starved(&waits, period);
        assert_true(usage_lowered(&waits, 5) < usage_lowered(&runs, 5));
    }
    usage_decay_starved(&waits, period);
    assert_int_equal(usage_lowered(&waits, 5), 5);
    usage_run_starved(&waits, period);
    assert_int_equal(waits.period, period);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_doubles_up_to_160_ms),
        cmocka_unit_test(two_slices_cost_a_step_and_three_steps_are_most),
        cmocka_unit_test(usage_counts_half_after_each_period),
        cmocka_unit_test(the_starving_forget_only_while_they_run),
        cmocka_unit_test(starvation_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
