// SPDX-License-Identifier: MIT
// Which ticks of a masked CPU count towards a lockup.
#include <kernel/lockup.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SECOND 512000000UL
#define BEGIN 77UL // time base when the machine was started

static void test_each_second_counts(void **state)
{
    struct lockup_ticks ticks = {0};

    (void)state;
    for (u32 i = 0; i < 20; i++)
        assert_int_equal(lockup_count(&ticks, BEGIN + i * SECOND, 5, SECOND), i);
}

// The host stopped the machine, or this CPU, for an hour: then one tick comes.
static void test_a_stop_of_any_length_is_one_tick(void **state)
{
    struct lockup_ticks ticks = {0};

    (void)state;
    assert_int_equal(lockup_count(&ticks, BEGIN, 5, SECOND), 0);
    assert_int_equal(lockup_count(&ticks, BEGIN + 3600 * SECOND, 5, SECOND), 1);
    assert_int_equal(lockup_count(&ticks, BEGIN + 3600 * SECOND + 1, 5, SECOND), 1);
}

// Timers that are set while masked bring the decrementer forward.
static void test_ticks_that_come_early_do_not_count(void **state)
{
    struct lockup_ticks ticks = {0};

    (void)state;
    for (u32 i = 0; i < 1000; i++)
        assert_int_equal(lockup_count(&ticks, BEGIN + i, 5, SECOND), 0);
    assert_int_equal(lockup_count(&ticks, BEGIN + SECOND, 5, SECOND), 1);
}

static void test_a_handled_interrupt_begins_anew(void **state)
{
    struct lockup_ticks ticks = {0};

    (void)state;
    for (u32 i = 0; i < 100; i++)
        assert_int_equal(lockup_count(&ticks, BEGIN + i * SECOND, i, SECOND), 0);
    assert_int_equal(lockup_count(&ticks, BEGIN + 101 * SECOND, 99, SECOND), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_second_counts),
        cmocka_unit_test(test_a_stop_of_any_length_is_one_tick),
        cmocka_unit_test(test_ticks_that_come_early_do_not_count),
        cmocka_unit_test(test_a_handled_interrupt_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
