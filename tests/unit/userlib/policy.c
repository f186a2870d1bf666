// SPDX-License-Identifier: MIT
// Policies of the library's scheduler: what use costs, and when it is forgotten.
#include "policy.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void policies_have_names(void **state)
{
    (void)state;
    assert_int_equal(policy_named("fixed"), POLICY_FIXED);
    assert_int_equal(policy_named("growing"), POLICY_GROWING);
    assert_int_equal(policy_named("starving"), POLICY_STARVING);
    assert_int_equal(policy_named("grow"), POLICIES);
    assert_int_equal(policy_named(""), POLICIES);
}

static void a_slice_doubles_up_to_160_ms(void **state)
{
    const u32 expected[] = {20000, 40000, 80000, 160000, 160000, 160000};
    u32 slice = POLICY_SLICE_US;

    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++) {
        slice = policy_longer(slice);
        assert_int_equal(slice, expected[i]);
    }
}

static void two_slices_cost_a_step_and_three_steps_are_most(void **state)
{
    const u32 expected[] = {5, 5, 4, 4, 3, 3, 2, 2, 2, 2};

    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(expected); i++)
        assert_int_equal(policy_lowered(&(struct use){.slices = i}, 5), expected[i]);
    assert_int_equal(policy_lowered(&(struct use){.slices = UINT64_MAX}, 5), 2);
    assert_int_equal(policy_lowered(&(struct use){.slices = 4}, 1), 0);
    assert_int_equal(policy_lowered(&(struct use){.slices = 4}, 2), 0);
    assert_int_equal(policy_lowered(&(struct use){.slices = 1}, 0), 0);
}

static void use_counts_half_after_each_period(void **state)
{
    struct use use = {.slices = 20, .period = 7};

    (void)state;
    policy_age(&use, 7);
    assert_int_equal(use.slices, 20);
    policy_age(&use, 8);
    assert_int_equal(use.slices, 10);
    policy_age(&use, 10);
    assert_int_equal(use.slices, 2);
    policy_charge(&use, 10);
    assert_int_equal(use.slices, 3);
    policy_charge(&use, 11);
    assert_int_equal(use.slices, 2);
    policy_age(&use, 11 + 64);
    assert_int_equal(use.slices, 0);
}

// The bug: what passed while it waited is not forgotten, what passes while it runs is.
static void the_starving_forget_only_while_they_run(void **state)
{
    struct use growing = {.slices = 8, .period = 1}, starving = growing;

    (void)state;
    policy_waited(POLICY_GROWING, &growing, 4);
    policy_waited(POLICY_STARVING, &starving, 4);
    assert_int_equal(growing.slices, 1);
    assert_int_equal(starving.slices, 8);
    policy_age(&starving, 5);
    assert_int_equal(starving.slices, 4);
}

// main waits at a low priority for a thread that never sleeps, whose long slices cost it little.
static void starvation_has_an_end(void **state)
{
    const u64 begin = 7;
    struct use waits = {.slices = 8, .period = begin}, runs = {.slices = 0, .period = begin};
    u64 period = begin;

    (void)state;
    for (; period < begin + POLICY_STARVED_PERIODS; period += 2) { // a slice of 160 ms
        policy_charge(&runs, period);
        policy_waits(POLICY_STARVING, &waits, period);
        assert_true(policy_lowered(&waits, 5) < policy_lowered(&runs, 5));
    }
    policy_waits(POLICY_STARVING, &waits, period);
    assert_int_equal(policy_lowered(&waits, 5), 5);
    policy_waited(POLICY_STARVING, &waits, period);
    assert_int_equal(waits.period, period);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_have_names),
        cmocka_unit_test(a_slice_doubles_up_to_160_ms),
        cmocka_unit_test(two_slices_cost_a_step_and_three_steps_are_most),
        cmocka_unit_test(use_counts_half_after_each_period),
        cmocka_unit_test(the_starving_forget_only_while_they_run),
        cmocka_unit_test(starvation_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
