// SPDX-License-Identifier: MIT
// Counts of events: added up over CPUs, and taken apart into intervals.
#include "unit.h"

#include "counts/counts.h"

static void counts_of_cpus_add_up_and_errors_by_squares(void **state)
{
    (void)state;
    struct count_reading reading = {.cpu_count = 2, .items = 1};
    reading.cpus[0].counts[0] = (struct count){1000, 30, 100, 3, 0, {0}};
    reading.cpus[1].counts[0] = (struct count){500, 50, 200, 4, 0, {0}};
    struct count sum = count_total(&reading, 0);
    assert_int_equal(sum.count, 1500);
    assert_int_equal(sum.measured, 80);
    assert_int_equal(sum.total, 300);
    assert_int_equal(sum.error, 5);
}

static void an_unknown_error_stays_unknown_but_for_cpus_that_had_no_time(void **state)
{
    (void)state;
    struct count_reading reading = {.cpu_count = 2, .items = 1};
    reading.cpus[0].counts[0] = (struct count){0, 0, 0, COUNT_ERROR_UNKNOWN, 0, {0}};
    reading.cpus[1].counts[0] = (struct count){500, 50, 200, 4, 0, {0}};
    assert_int_equal(count_total(&reading, 0).error, 4);
    reading.cpus[0].counts[0].total = 7;
    assert_int_equal(count_total(&reading, 0).error, COUNT_ERROR_UNKNOWN);
    reading.cpus[0].counts[0] = (struct count){1, 1, 1, COUNT_ERROR_UNKNOWN - 1, 0, {0}};
    assert_int_equal(count_total(&reading, 0).error, COUNT_ERROR_UNKNOWN);
}

static void the_cpu_with_the_fewest_slices_is_why_an_error_is_not_known(void **state)
{
    (void)state;
    struct count_reading reading = {.cpu_count = 4, .items = 1};
    reading.cpus[0].counts[0] = (struct count){500, 50, 200, 4, 9, {0}};
    reading.cpus[1].counts[0] = (struct count){0, 0, 0, COUNT_ERROR_UNKNOWN, 0, {0}}; // had no time
    reading.cpus[2].counts[0] =
        (struct count){9, 9, 20, COUNT_ERROR_UNKNOWN, 2, {0}};        // for another reason
    reading.cpus[3].counts[0] = (struct count){9, 20, 20, 0, 1, {0}}; // exact
    assert_null(count_without_slices(&reading, 0));
    reading.cpus[2].counts[0].slices = 1;
    assert_ptr_equal(count_without_slices(&reading, 0), &reading.cpus[2]);
    reading.cpus[0].counts[0] = (struct count){0, 0, 200, COUNT_ERROR_UNKNOWN, 0, {0}};
    assert_ptr_equal(count_without_slices(&reading, 0), &reading.cpus[0]);
}

static void an_interval_of_whole_counts_is_exact(void **state)
{
    (void)state;
    struct count before = {UINT64_MAX - 9, 100, 100, 0, 0, {0}},
                 after = {UINT64_MAX, 150, 150, 0, 0, {0}};
    struct count between = count_between(&before, &after);
    assert_int_equal(between.count, 9);
    assert_int_equal(between.measured, 50);
    assert_int_equal(between.total, 50);
    assert_int_equal(between.error, 0);
}

// Counts of a known program in parts: what was counted in an interval,
// scaled by what was measured in it.
static void an_interval_is_scaled_by_its_own_part(void **state)
{
    (void)state;
    u64 random = 7;
    u64 counted = 0, measured = 0, total = 0;
    struct count last = {0};
    for (u32 round = 0; round < 2000; round++) {
        u64 time = 1000 + unit_random(&random) % 100000, part = 1 + unit_random(&random) % time;
        u64 new = unit_random(&random) % (2 * part);
        counted += new;
        measured += part;
        total += time;
        struct count now = {
            (u64)((unsigned __int128)counted * total / measured), measured, total, 5, 0, {0}};
        struct count between = count_between(&last, &now);
        double expected = (double)new *(double)time / (double)part;
        // Both readings were rounded, by one, which the scaling enlarges.
        double bound = 2 * (double)time / (double)part + 1;
        assert_true(between.count + bound >= expected && between.count - bound <= expected);
        assert_int_equal(between.measured, part);
        assert_int_equal(between.total, time);
        last = now;
    }
}

static void an_interval_without_a_turn_has_no_count(void **state)
{
    (void)state;
    struct count before = {100, 50, 100, 9, 0, {0}}, after = {200, 50, 200, 20, 0, {0}};
    struct count between = count_between(&before, &after);
    assert_false(count_is_known(&between));
    assert_int_equal(between.error, COUNT_ERROR_UNKNOWN);
    assert_int_equal(between.count, 0);
}

// What a machine cannot mean: counts that fall, and numbers beyond all.
static void nonsense_gives_a_number_nevertheless(void **state)
{
    (void)state;
    struct count high = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 0, {0}}, low = {1, 1, 2, 1, 0, {0}};
    struct count between = count_between(&high, &low);
    assert_int_equal(between.count, 0);
    assert_int_equal(between.total, 0);
    between = count_between(&low, &high);
    assert_true(between.count > 0);
    struct count huge = {UINT64_MAX, 2, UINT64_MAX, 1, 0, {0}};
    between = count_between(&low, &huge);
    assert_true(between.measured == 1);
}

static void a_cpu_that_was_not_there_before_counts_from_nothing(void **state)
{
    (void)state;
    static struct count_reading before, after, between;
    before = (struct count_reading){.cpu_count = 1, .items = 2};
    before.cpus[0] = (struct cpu_counts){.cpu = 3, .counts = {{5, 5, 5, 0, 0}, {6, 5, 5, 0, 0}}};
    after = (struct count_reading){.cpu_count = 2, .items = 2, .time = 77};
    after.cpus[0] = (struct cpu_counts){.cpu = 1, .counts = {{9, 9, 9, 0, 0}, {8, 9, 9, 0, 0}}};
    after.cpus[1] =
        (struct cpu_counts){.cpu = 3, .counts = {{15, 10, 10, 0, 0}, {26, 10, 10, 0, 0}}};
    count_reading_between(&before, &after, &between);
    assert_int_equal(between.cpu_count, 2);
    assert_int_equal(between.time, 77);
    assert_int_equal(between.cpus[0].counts[0].count, 9);
    assert_int_equal(between.cpus[1].counts[0].count, 10);
    assert_int_equal(between.cpus[1].counts[1].count, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_cpus_add_up_and_errors_by_squares),
        cmocka_unit_test(an_unknown_error_stays_unknown_but_for_cpus_that_had_no_time),
        cmocka_unit_test(the_cpu_with_the_fewest_slices_is_why_an_error_is_not_known),
        cmocka_unit_test(an_interval_of_whole_counts_is_exact),
        cmocka_unit_test(an_interval_is_scaled_by_its_own_part),
        cmocka_unit_test(an_interval_without_a_turn_has_no_count),
        cmocka_unit_test(nonsense_gives_a_number_nevertheless),
        cmocka_unit_test(a_cpu_that_was_not_there_before_counts_from_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
