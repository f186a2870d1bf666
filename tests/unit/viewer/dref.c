// SPDX-License-Identifier: MIT
// The difference of two readings of DREF counts.
#include "unit.h"

#include "counts/dref.h"

static struct dref_reading reading(struct dref_count *counts, size_t count)
{
    return (struct dref_reading){.counts = counts, .count = count};
}

static void counts_are_subtracted_by_object_and_cpu(void **state)
{
    (void)state;
    struct dref_count old[] = {{0, 16, 0, 10, 1}, {0, 16, 1, 5, 1}, {0, 32, 0, 7, 0}};
    struct dref_count new[] = {
        {0, 16, 0, 12, 1}, {0, 16, 1, 9, 2}, {0, 32, 0, 7, 0}, {0, 48, 3, 100, 4}};
    struct dref_reading before = reading(old, 3), after = reading(new, 4);
    struct dref_difference difference = {0};
    dref_subtract(&before, &after, &difference);
    assert_int_equal(difference.count, 2);
    assert_int_equal(difference.rows[0].coid, 48); // most first
    assert_int_equal(difference.rows[0].by_cpu[3], 100);
    assert_int_equal(difference.rows[1].coid, 16);
    assert_int_equal(difference.rows[1].invocations, 6);
    assert_int_equal(difference.rows[1].by_cpu[0], 2);
    assert_int_equal(difference.rows[1].by_cpu[1], 4);
    assert_int_equal(difference.rows[1].misses, 1);
    assert_int_equal(difference.invocations, 106);
    assert_int_equal(difference.misses, 5);
    assert_int_equal(difference.ended, 0);
    dref_difference_free(&difference);
}

static void objects_that_ended_are_counted_once(void **state)
{
    (void)state;
    struct dref_count old[] = {{0, 16, 0, 10, 1}, {0, 16, 1, 5, 1}, {0, 32, 0, 7, 0}};
    struct dref_count new[] = {{0, 32, 1, 3, 0}};
    struct dref_reading before = reading(old, 3), after = reading(new, 1), empty = {0};
    struct dref_difference difference = {0};
    dref_subtract(&before, &after, &difference);
    assert_int_equal(difference.ended, 1); // 32 was only used on another CPU since
    assert_int_equal(difference.rows[0].invocations, 3);
    dref_difference_free(&difference);
    dref_subtract(&before, &empty, &difference);
    assert_int_equal(difference.ended, 2);
    assert_int_equal(difference.count, 0);
    dref_difference_free(&difference);
}

static void another_object_with_the_same_number_began_at_nothing(void **state)
{
    (void)state;
    struct dref_count old[] = {{0, 16, 0, 10, 1}, {0, 32, 0, 10, 3}};
    struct dref_count new[] = {{0, 16, 0, 4, 1}, {0, 32, 0, 12, 1}};
    struct dref_reading before = reading(old, 2), after = reading(new, 2);
    struct dref_difference difference = {0};
    dref_subtract(&before, &after, &difference);
    assert_int_equal(difference.count, 2);
    assert_int_equal(difference.invocations, 16);
    assert_int_equal(difference.misses, 2);
    dref_difference_free(&difference);
}

static void what_a_silent_process_did_before_is_not_taken_for_new(void **state)
{
    (void)state;
    struct dref_count old[] = {{7, 16, 0, 10, 1}};
    struct dref_count new[] = {{7, 16, 0, 12, 1}, {7, 32, 0, 5000, 9}, {8, 16, 0, 3, 1}};
    struct dref_reading before = reading(old, 1), after = reading(new, 3);
    struct dref_difference difference = {0};
    failures_add(&before.failures, 7, 0, "no answer"); // in the midst of its list
    dref_subtract(&before, &after, &difference);
    assert_int_equal(difference.invocations, 2 + 3);
    assert_int_equal(difference.misses, 1);
    failures_free(&before.failures);
    dref_difference_free(&difference);
}

static void from_nothing_everything_is_new(void **state)
{
    (void)state;
    struct dref_count new[] = {{0, 16, 0, 10, 1}};
    struct dref_reading before = {0}, after = reading(new, 1);
    struct dref_difference difference = {0};
    dref_subtract(&before, &after, &difference);
    assert_int_equal(difference.invocations, 10);
    dref_difference_free(&difference);
}

static void processes_have_coids_of_their_own(void **state)
{
    (void)state;
    struct dref_count old[] = {{0, 16, 0, 10, 1}, {7, 16, 0, 5, 1}, {8, 16, 0, 5, 1}};
    struct dref_count new[] = {{0, 16, 0, 12, 1}, {7, 16, 0, 9, 1}, {7, 32, 1, 1, 0}};
    struct dref_reading before = reading(old, 3), after = reading(new, 3);
    struct dref_difference difference = {0};
    dref_subtract(&before, &after, &difference);
    assert_int_equal(difference.count, 3);
    assert_int_equal(difference.rows[0].pid, 7);
    assert_int_equal(difference.rows[0].invocations, 4);
    assert_int_equal(difference.rows[1].pid, 0);
    assert_int_equal(difference.rows[1].invocations, 2);
    assert_int_equal(difference.ended, 1);
    dref_difference_free(&difference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_subtracted_by_object_and_cpu),
        cmocka_unit_test(objects_that_ended_are_counted_once),
        cmocka_unit_test(another_object_with_the_same_number_began_at_nothing),
        cmocka_unit_test(what_a_silent_process_did_before_is_not_taken_for_new),
        cmocka_unit_test(from_nothing_everything_is_new),
        cmocka_unit_test(processes_have_coids_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
