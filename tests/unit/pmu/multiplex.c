// SPDX-License-Identifier: MIT
// Estimates from slices: the arithmetic against the formula in floating point, with a Student
// distribution that is integrated here, and its limits.
#include <math.h>
#include <orrery/errors.h>
#include "estimate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 3

static struct pmu_multiplex *multiplex;
static u64 random_state;

// Item 0 in both groups, 1 in the first, 2 in the second.
static const struct pmu_group first = {
    .item = {PMU_NO_ITEM, 0, 1, [3 ... PMU_COUNTERS - 1] = PMU_NO_ITEM}};
static const struct pmu_group second = {
    .item = {2, PMU_NO_ITEM, [2 ... PMU_COUNTERS - 2] = PMU_NO_ITEM, [PMU_COUNTERS - 1] = 0}};

static int set_up(void **state)
{
    (void)state;
    random_state = 1;
    multiplex = malloc(PMU_MULTIPLEX_BYTES(ITEMS));
    memset(multiplex, 0x5a, PMU_MULTIPLEX_BYTES(ITEMS));
    pmu_multiplex_begin(multiplex, ITEMS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(multiplex);
    return 0;
}

static u64 draw(u64 below)
{
    u64 z = random_state += 0x9e3779b97f4a7c15UL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
    return (z ^ z >> 31) % below;
}

static s64 in_first(u64 time, u64 always, u64 count)
{
    return pmu_multiplex_slice(multiplex, &first, time, (u64[PMU_COUNTERS]){~0UL, always, count});
}

static s64 in_second(u64 time, u64 always, u64 count)
{
    return pmu_multiplex_slice(multiplex, &second, time,
                               (u64[PMU_COUNTERS]){count, ~0UL, [PMU_COUNTERS - 1] = always});
}

static struct pmu_estimate estimate(u32 item)
{
    struct pmu_estimate result;
    pmu_multiplex_read(multiplex, item, &result);
    return result;
}

static void expect(u32 item, u64 count, u64 error, u64 measured)
{
    struct pmu_estimate is = estimate(item);
    assert_int_equal(is.count, count);
    assert_int_equal(is.error, error);
    assert_int_equal(is.measured, measured);
    assert_int_equal(is.time, multiplex->time);
}

// ---- what needs no statistics ------------------------------------------------------------------

static void what_was_counted_all_the_time_is_exact(void **state)
{
    (void)state;
    assert_int_equal(in_first(1000, 17, 5), 0);
    expect(0, 17, 0, 1000);
    expect(1, 5, 0, 1000);
    assert_int_equal(in_second(333, 4, 0), 0);
    assert_int_equal(in_first(1, 1000000, 0), 0);
    expect(0, 1000021, 0, 1334);
}

static void counts_are_scaled_by_the_time_that_was_not_measured(void **state)
{
    (void)state;
    in_first(1000, 0, 7);
    in_first(500, 0, 3);
    in_second(1500, 0, 99);
    assert_int_equal(estimate(1).count, 20);
    assert_int_equal(estimate(1).measured, 1500);
    assert_int_equal(estimate(1).time, 3000);
    in_second(1, 0, 0);
    assert_int_equal(estimate(1).count, 20); // 20.0067
    in_second(100, 0, 0);
    assert_int_equal(estimate(1).count, 21); // 20.67
}

static void an_error_that_nothing_is_known_of_is_not_shown_as_small(void **state)
{
    (void)state;
    expect(0, 0, PMU_ERROR_UNKNOWN, 0); // no slice at all
    in_second(100, 1, 50);
    expect(1, 0, PMU_ERROR_UNKNOWN, 0); // none with it
    in_first(100, 1, 40);
    expect(1, 80, PMU_ERROR_UNKNOWN, 100); // one
    in_first(0, 1, 40);
    assert_true(estimate(1).error != PMU_ERROR_UNKNOWN);
}

static void slices_without_time_alone_are_no_measurement(void **state)
{
    (void)state;
    in_second(100, 1, 50);
    in_first(0, 1, 40);
    in_first(0, 1, 40);
    expect(1, 80, PMU_ERROR_UNKNOWN, 0);
}

static void events_that_were_never_met_may_have_been_missed(void **state)
{
    (void)state;
    for (u32 i = 0; i < 100; i++) {
        in_first(1000, 0, 0);
        in_second(3000, 0, 0);
    }
    assert_int_equal(estimate(1).count, 0);
    assert_in_range(estimate(1).error, 15, 17); // 5 in the quarter measured
    assert_in_range(estimate(2).error, 1, 3);
}

// ---- the formula -------------------------------------------------------------------------------

// Density of Student's t, but for its constant factor.
static double density(double x, double freedom)
{
    return pow(1 + x * x / freedom, -(freedom + 1) / 2);
}

// Its integral from 0, by Simpson's rule over x = tan(angle), which brings infinity near.
static double integral(double to, double freedom)
{
    const int steps = 4000;
    double width = to / steps;
    double sum = 0;
    for (int i = 0; i <= steps; i++) {
        double cosine = cos(i * width);
        double factor = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
        if (cosine > 1e-9)
            sum += factor * density(tan(i * width), freedom) / (cosine * cosine);
    }
    return sum * width / 3;
}

static double student_99(double freedom)
{
    double low = 0;
    double high = M_PI / 2;
    double all = integral(high, freedom);
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (integral(middle, freedom) < 0.99 * all)
            low = middle;
        else
            high = middle;
    }
    return tan(low);
}

struct slices {
    u32 number;
    double time[400], count[400];
    double all_time;
};

static double error_by_formula(const struct slices *slices)
{
    double t = 0, c = 0, sum = 0, n = slices->number;
    for (u32 i = 0; i < slices->number; i++) {
        t += slices->time[i];
        c += slices->count[i];
    }
    for (u32 i = 0; i < slices->number; i++) {
        double away = slices->count[i] / c - slices->time[i] / t;
        sum += away * away;
    }
    double f = t / slices->all_time;
    double total = c / f;
    double left = f < 0.5 ? 1 : (1 - f) / f;
    return total * student_99(n - 1) * sqrt(left * n / (n - 1) * sum) + 5 * (1 - f) / f;
}

// others: how long the other group's slices are, in times of this one's.
static void check_formula(u32 number, u64 time, u64 rate, u64 noise, u64 others)
{
    static struct slices slices;
    pmu_multiplex_begin(multiplex, ITEMS);
    slices.number = number;
    slices.all_time = 0;
    for (u32 i = 0; i < number; i++) {
        u64 here = time + draw(time / 4 + 1);
        u64 there = time * others + draw(time / 2);
        u64 count = here * rate / 1000 + draw(noise);
        assert_int_equal(in_first(here, 0, count), 0);
        assert_int_equal(in_second(there, 0, 0), 0);
        slices.time[i] = (double)here;
        slices.count[i] = (double)count;
        slices.all_time += (double)here + (double)there;
    }
    double expected = error_by_formula(&slices);
    double is = (double)estimate(1).error;
    // Never less; quantiles are those of a few degrees of freedom less, and all is rounded up: the
    // relative deviation to 45 binary places.
    double most = expected * 1.03 + 4 + (double)estimate(1).count / (1UL << 43);
    if (is < expected || is > most)
        fail_msg("%u slices: an error of %f, expected %f or a little more", number, is, expected);
}

static void errors_are_those_of_the_formula(void **state)
{
    (void)state;
    for (u32 number = 2; number <= 150; number++)
        check_formula(number, 100000, 300, 10000, number % 3);
    check_formula(400, 100000, 300, 10000, 3);
    for (u32 i = 0; i < 20; i++) {
        check_formula(40, 1000, draw(1000), 2, i % 4);           // few counts
        check_formula(40, 1000, 1, 2, i % 4);                    // very few
        check_formula(40, 1UL << 38, 1000, 2, i % 4);            // large, and nearly alike
        check_formula(40, 1UL << 38, 2000, 1UL << 38, i % 4);    // large, and not
        check_formula(40, 1UL << 10, 1000000, 1UL << 30, i % 4); // more counts than time
    }
}

// ---- limits ------------------------------------------------------------------------------------

static void sums_stop_where_they_would_lose_their_meaning(void **state)
{
    (void)state;
    assert_int_equal(in_first(PMU_COUNT_MAX, 1, PMU_COUNT_MAX), 0);
    assert_int_equal(in_first(1, 0, 0), E_LIMIT);
    assert_int_equal(in_first(0, 0, 1), E_LIMIT);
    assert_int_equal(in_second(0, 1, PMU_COUNT_MAX + 1), E_LIMIT);
    assert_int_equal(in_second(~0UL, 0, 0), E_LIMIT);
    assert_int_equal(in_second(0, ~0UL, 0), E_LIMIT);
    expect(0, 1, 0, PMU_COUNT_MAX); // what was refused has changed nothing
    expect(1, PMU_COUNT_MAX, 0, PMU_COUNT_MAX);
    expect(2, 0, PMU_ERROR_UNKNOWN, 0);
    pmu_multiplex_begin(multiplex, ITEMS);
    expect(1, 0, PMU_ERROR_UNKNOWN, 0);
}

static void items_of_another_request_are_refused(void **state)
{
    (void)state;
    pmu_multiplex_begin(multiplex, ITEMS - 1);
    assert_int_equal(in_first(10, 1, 2), 0);
    assert_int_equal(in_second(10, 1, 2), E_INVAL);
    expect(0, 1, 0, 10);
    expect(1, 2, 0, 10);
}

static void the_largest_sums_have_an_error(void **state)
{
    (void)state;
    u64 half = PMU_COUNT_MAX / 2;
    in_first(half / 2, 0, PMU_COUNT_MAX);
    in_first(half / 2, 0, 0);
    in_second(half, 0, 1);
    struct pmu_estimate is = estimate(1);
    assert_int_equal(is.count, 2 * PMU_COUNT_MAX);
    // One slice had everything, the other nothing: sum = 1/2, n/(n-1) = 2.
    double expected = 2 * (double)PMU_COUNT_MAX * 63.657;
    assert_true((double)is.error > expected * 0.9999 && (double)is.error < expected * 1.0001);
}

static void what_no_number_holds_is_not_wrapped(void **state)
{
    (void)state;
    in_first(1, 0, PMU_COUNT_MAX / 2);
    in_first(1, 0, PMU_COUNT_MAX / 2);
    in_second(PMU_COUNT_MAX - 2, 0, 0);
    expect(1, ~0UL, PMU_ERROR_UNKNOWN, 2);
    pmu_multiplex_begin(multiplex, ITEMS);
    in_first(1, 0, 1);
    in_first(1, 0, 0);
    in_second(PMU_COUNT_MAX - 2, 0, 0);
    assert_int_equal(estimate(1).count, PMU_COUNT_MAX / 2);
    assert_true(estimate(1).error > PMU_COUNT_MAX && estimate(1).error < 100 * PMU_COUNT_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_counted_all_the_time_is_exact),
        TEST(counts_are_scaled_by_the_time_that_was_not_measured),
        TEST(an_error_that_nothing_is_known_of_is_not_shown_as_small),
        TEST(slices_without_time_alone_are_no_measurement),
        TEST(events_that_were_never_met_may_have_been_missed),
        TEST(errors_are_those_of_the_formula),
        TEST(sums_stop_where_they_would_lose_their_meaning),
        TEST(items_of_another_request_are_refused),
        TEST(the_largest_sums_have_an_error),
        TEST(what_no_number_holds_is_not_wrapped),
    };
    return cmocka_run_group_tests_name("pmu_multiplex", tests, NULL, NULL);
}
