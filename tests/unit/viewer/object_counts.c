// SPDX-License-Identifier: MIT
// Counts by object from samples, against sums, errors and metrics worked out by hand.
#include "unit.h"

#include "samples/object_counts.h"
#include "tools/kov.h"

#include <math.h>
#include <orrery/sys.h>
#include <string.h>

struct settings settings; // programs.c asks where the programs are

static struct object_counts counts;
static const struct sample_share whole[SAMPLED_EVENTS_MAX]; // events were sampled all the time

static int begin(void **state)
{
    static const struct sampled_events events = {
        .events = {{.name = "instructions"},
                   {.name = "cycles"},
                   {.name = "a-name-that-is-longer-than-fits"}},
        .count = 3};
    (void)state;
    object_counts_begin(&counts, &events);
    return 0;
}

static int end(void **state)
{
    (void)state;
    object_counts_free(&counts);
    return 0;
}

static void add(u32 event, u32 pid, coid_t coid, u64 weight, int samples)
{
    struct sample sample = {.index = event,
                            .pid = pid,
                            .coid = coid,
                            .weight = weight,
                            .flags = (pid == 0 ? SYS_SAMPLE_KERNEL : 0) |
                                     (coid != 0 ? SYS_SAMPLE_ATTRIBUTED : 0)};
    for (int i = 0; i < samples; i++)
        object_counts_add(&counts, &sample);
}

static void the_same_coid_is_another_object_in_another_process(void **state)
{
    (void)state;
    add(0, 0, 16, 1000, 1);
    add(0, 7, 16, 1000, 3);
    add(0, 9, 16, 1000, 2);
    add(0, 7, 16, 1000, 1);
    object_counts_order(&counts, whole);
    assert_int_equal(counts.count, 3);
    assert_int_equal(counts.rows[0].pid, 7);
    assert_int_equal(counts.rows[0].sums[0].events, 4000);
    assert_int_equal(counts.rows[1].pid, 9);
    assert_int_equal(counts.rows[2].pid, 0);
    assert_int_equal(counts.totals[0].events, 7000);
}

static void a_kernel_object_is_one_whoever_it_works_for(void **state)
{
    struct sample sample = {
        .coid = 16, .weight = 5, .flags = SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED};
    (void)state;
    object_counts_add(&counts, &sample);
    sample.pid = 7;
    object_counts_add(&counts, &sample);
    assert_int_equal(counts.count, 1);
    assert_int_equal(counts.rows[0].pid, 0);
}

static void what_has_no_object_has_rows_of_its_own(void **state)
{
    struct sample stale = {.coid = 16, .weight = 5, .flags = SYS_SAMPLE_KERNEL | SYS_SAMPLE_STALE};
    struct sample idle = {.coid = 16, .weight = 5, .flags = SYS_SAMPLE_KERNEL | SYS_SAMPLE_IDLE};
    (void)state;
    object_counts_add(&counts, &stale);
    object_counts_add(&counts, &idle);
    add(0, 0, 0, 5, 1);
    add(0, 0, 16, 5, 1);
    assert_int_equal(counts.count, 4);
    assert_string_equal(counts.rows[0].missing, "[stale]");
    assert_string_equal(counts.rows[1].missing, "[idle]");
    assert_string_equal(counts.rows[2].missing, "[none]");
    assert_null(counts.rows[3].missing);
    assert_int_equal(counts.rows[3].coid, 16);
}

static void samples_are_weighed_each(void **state)
{
    (void)state;
    add(0, 0, 16, 300, 1);
    add(0, 0, 16, 400, 1);
    add(0, 0, 32, 100, 3);
    assert_int_equal(counts.rows[0].sums[0].events, 700);
    assert_true(samples_error(counts.rows[0].sums[0].square) == 2.576 * 500);
    assert_true(object_counts_share(&counts, &counts.rows[0], 0) == 70);
    assert_true(object_counts_share(&counts, &counts.rows[0], 1) == 0);
}

static void events_that_were_not_asked_for_are_left_out(void **state)
{
    (void)state;
    add(3, 0, 16, 1000, 1);
    add(UINT32_MAX, 0, 16, 1000, 1);
    assert_int_equal(counts.count, 0);
}

static bool metric(size_t row, const char *name, struct metric_value *value)
{
    for (size_t i = 0; i < metric_count; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return object_counts_metric(&counts, &counts.rows[row], &metrics[i], COUNT_ALL, value);
    return false;
}

static void metrics_are_those_of_the_object(void **state)
{
    struct metric_value value;
    (void)state;
    add(0, 0, 16, 1000, 25);
    add(1, 0, 16, 1000, 100);
    add(1, 0, 32, 1000, 4);
    add(0, 0, 48, 1000, 4);
    assert_true(metric(0, "IPC", &value));
    assert_true(value.value == 0.25);
    assert_true(fabs(value.error - 0.25 * 2.576 * hypot(0.2, 0.1)) < 1e-4);
    assert_true(metric(1, "IPC", &value));
    assert_true(value.value == 0 &&
                value.error < 0);           // not a sample: how few there were is not known
    assert_false(metric(2, "IPC", &value)); // nothing to divide by
    assert_false(metric(0, "spin contention", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_coid_is_another_object_in_another_process, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_kernel_object_is_one_whoever_it_works_for, begin, end),
        cmocka_unit_test_setup_teardown(what_has_no_object_has_rows_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(samples_are_weighed_each, begin, end),
        cmocka_unit_test_setup_teardown(events_that_were_not_asked_for_are_left_out, begin, end),
        cmocka_unit_test_setup_teardown(metrics_are_those_of_the_object, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
