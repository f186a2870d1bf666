// SPDX-License-Identifier: MIT
// Errors of intervals, worked out from two readings, against those that the machine's own estimates
// have when they begin with the interval, and against what really was.
#include "unit.h"

#include "counts/counts.h"
#include "turns.h"

#include <math.h>
#include <estimate.h>
#include <string.h>

#define CHECKED_EACH 20 // intervals: integers take long

// The same in integers.
static struct pmu_estimate estimate(struct sums *sums)
{
    struct pmu_estimate found;
    pmu_multiplex_read(multiplex(sums), 0, &found);
    return found;
}

// Checks an interval's error against that of a session that begins with it, as integers have it:
// by Student's t, and rounded up in two places. The rest is widened for few slices.
static void check_error(const struct count *between, const struct pmu_estimate *alone)
{
    double rare = 5 * (double)(alone->time - alone->measured) / (double)alone->measured;
    double wider = 1 + 5 / pow((double)between->slices, 0.8);
    double expected = rare + ((double)alone->error - rare) * wider;
    assert_int_equal(between->count, alone->count);
    assert_true(fabs((double)between->error - expected) <= 2 + 3 * wider);
}

// Returns how many intervals of a program hold the truth within their error.
static u32 run(enum rates rates, u32 rounds, u32 intervals)
{
    static struct sums all, fresh;
    u64 random = 11 + rates;
    u32 held = 0;
    struct count last = {0};
    pmu_multiplex_begin(multiplex(&all), 1);
    for (u32 i = 0; i < intervals; i++) {
        pmu_multiplex_begin(multiplex(&fresh), 1);
        u64 truth = run_rounds(&all, &fresh, rounds, rates, &random);
        struct count now = read_sums(&all), between = count_between(&last, &now);
        if (i % CHECKED_EACH == 0) {
            struct pmu_estimate alone = estimate(&fresh);
            check_error(&between, &alone);
        }
        u64 off = between.count > truth ? between.count - truth : truth - between.count;
        held += off <= between.error;
        last = now;
    }
    return held;
}

static void intervals_hold_the_truth_as_surely_as_they_say(void **state)
{
    static const struct {
        u32 rounds, intervals;
    } runs[] = {{2, 20000},  {3, 20000}, {4, 20000}, {6, 10000},
                {10, 10000}, {20, 5000}, {150, 2000}};
    (void)state;
    for (enum rates rates = 0; rates < RATES; rates++)
        for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
            u32 intervals = runs[i].intervals;
            assert_in_range(run(rates, runs[i].rounds, intervals), intervals / 100 * 99, intervals);
        }
}

static void fewer_than_two_slices_say_nothing(void **state)
{
    static struct sums all;
    struct pmu_group group = {0};
    u64 counts[PMU_COUNTERS] = {0}, random = 5;
    (void)state;
    memset(group.item, PMU_NO_ITEM, sizeof(group.item));
    pmu_multiplex_begin(multiplex(&all), 1);
    run_rounds(&all, &all, 5, FLAT_FROM_NONE, &random);
    struct count before = read_sums(&all), after;
    for (u32 slices = 1; slices <= 2; slices++) {
        group.item[3] = PMU_NO_ITEM;
        assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 400, counts), 0);
        group.item[3] = 0;
        counts[3] = 70 + slices;
        assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 500, counts), 0);
        after = read_sums(&all);
        assert_int_equal(count_between(&before, &after).error == COUNT_ERROR_UNKNOWN, slices < 2);
    }
}

// A whole interval of a session that is an estimate: its sums are exact all the same.
static void what_was_measured_whole_is_exact(void **state)
{
    static struct sums all;
    struct pmu_group group = {0};
    u64 counts[PMU_COUNTERS] = {[3] = 1234}, random = 5;
    (void)state;
    memset(group.item, PMU_NO_ITEM, sizeof(group.item));
    group.item[3] = 0;
    pmu_multiplex_begin(multiplex(&all), 1);
    run_rounds(&all, &all, 5, FLAT_FROM_NONE, &random);
    struct count before = read_sums(&all);
    assert_true(before.error > 0);
    assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 500, counts), 0);
    struct count after = read_sums(&all), between = count_between(&before, &after);
    assert_int_equal(between.count, 1234);
    assert_int_equal(between.error, 0);
}

// The event had no turn before the interval began, though the session had.
static void nothing_counted_before_leaves_an_error(void **state)
{
    static struct sums all;
    struct pmu_group group = {0};
    u64 counts[PMU_COUNTERS] = {0};
    (void)state;
    memset(group.item, PMU_NO_ITEM, sizeof(group.item));
    pmu_multiplex_begin(multiplex(&all), 1);
    assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 400, counts), 0);
    struct count before = read_sums(&all);
    assert_int_equal(before.measured, 0);
    group.item[3] = 0;
    for (u32 slice = 0; slice < 2; slice++) {
        counts[3] = 70 + slice;
        assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 500, counts), 0);
    }
    struct count after = read_sums(&all), between = count_between(&before, &after);
    assert_int_equal(between.count, 141);
    assert_int_equal(between.error, 0);
    group.item[3] = PMU_NO_ITEM;
    assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 400, counts), 0);
    after = read_sums(&all);
    between = count_between(&before, &after);
    assert_true(between.error > 0 && between.error != COUNT_ERROR_UNKNOWN);
}

// An older machine, or one that lies.
static void without_sums_an_interval_says_nothing(void **state)
{
    struct count before = {.count = 1000, .measured = 100, .total = 300, .error = 40, .slices = 9};
    struct count after = {.count = 1100, .measured = 120, .total = 340, .error = 50, .slices = 20};
    (void)state;
    assert_int_equal(count_between(&before, &after).error, COUNT_ERROR_UNKNOWN);
    before.sums.time_squares = 2;
    after.sums.time_squares = 1; // has become less
    assert_int_equal(count_between(&before, &after).error, COUNT_ERROR_UNKNOWN);
}

static u64 any(u64 *random)
{
    return unit_random(random) >> (unit_random(random) % 64);
}

static void nonsense_gives_some_error(void **state)
{
    u64 random = 3;
    (void)state;
    for (u32 i = 0; i < 20000; i++) {
        struct count counts[2];
        for (u32 k = 0; k < 2; k++)
            counts[k] = (struct count){
                .count = any(&random),
                .measured = any(&random),
                .total = any(&random),
                .error = any(&random),
                .slices = any(&random),
                .sums = {.time_squares = (count_wide)any(&random) << 64 | any(&random),
                         .count_squares = (count_wide)any(&random) << 64 | any(&random),
                         .products = (count_wide)any(&random) << 64 | any(&random),
                         .counted = any(&random)},
            };
        count_between(&counts[0], &counts[1]); // the sanitizers watch
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth_as_surely_as_they_say),
        cmocka_unit_test(fewer_than_two_slices_say_nothing),
        cmocka_unit_test(what_was_measured_whole_is_exact),
        cmocka_unit_test(nothing_counted_before_leaves_an_error),
        cmocka_unit_test(without_sums_an_interval_says_nothing),
        cmocka_unit_test(nonsense_gives_some_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
