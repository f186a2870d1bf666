// SPDX-License-Identifier: MIT
// The metrics, against the definitions of S000, worked out by hand.
#include "unit.h"

#include "counts/metrics.h"

#include <math.h>
#include <string.h>

static const struct event_info events[] = {
    {.name = "instructions"}, {.name = "cycles"},      {.name = "larx"},
    {.name = "stcx"},         {.name = "stcx-failed"}, {.name = "branches"},
    {.name = "mispredicted"}, {.name = "itlb-miss"},   {.name = "dtlb-miss"},
};
#define EVENTS ARRAY_SIZE(events)

static struct count_request request;
static struct count counts[COUNT_ITEMS_MAX];

static void add(size_t event, enum count_mode mode, u32 set, struct count count)
{
    counts[request.item_count] = count;
    request.items[request.item_count++] = (struct count_item){&events[event], mode, set};
}

static int begin(void **state)
{
    (void)state;
    memset(&request, 0, sizeof(request));
    request.set_count = 1;
    return 0;
}

static void add_all(void)
{
    static const u64 values[EVENTS] = {100000, 250000, 300, 500, 100, 2000, 50, 7, 13};
    for (size_t i = 0; i < EVENTS; i++)
        add(i, COUNT_ALL, 0, (struct count){.count = values[i], .measured = 1, .total = 1});
}

static bool compute(const char *name, enum count_mode mode, struct metric_value *value)
{
    for (size_t i = 0; i < metric_count; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return metric_compute(&metrics[i], &request, counts, mode, value);
    return false;
}

static void the_five_metrics_are_those_of_the_paper(void **state)
{
    static const struct {
        const char *name;
        double value;
    } expected[] = {
        {"IPC", 0.4},
        {"lock acquisition",
         1.6}, // 400 conditional stores that succeeded, 4 instructions each, of 100,000
        {"spin contention", 1.2},
        {"branch misprediction", 2.5},
        {"TLB miss rate", 0.02},
    };
    struct metric_value value;
    (void)state;
    add_all();
    assert_int_equal(metric_count, ARRAY_SIZE(expected));
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        assert_true(compute(expected[i].name, COUNT_ALL, &value));
        assert_true(fabs(value.value - expected[i].value) < 1e-12);
        assert_true(value.error == 0);
    }
}

static void a_metric_without_one_of_its_events_is_none(void **state)
{
    struct metric_value value;
    (void)state;
    add_all();
    assert_false(compute("IPC", COUNT_USER, &value));
    request.items[4].mode = COUNT_KERNEL; // stcx-failed
    assert_false(compute("lock acquisition", COUNT_ALL, &value));
    assert_true(compute("IPC", COUNT_ALL, &value));
    counts[1].count = 0; // no cycle
    assert_false(compute("IPC", COUNT_ALL, &value));
    counts[2] = (struct count){.total = 5, .error = COUNT_ERROR_UNKNOWN}; // larx had no turn
    assert_false(compute("spin contention", COUNT_ALL, &value));
}

static void events_of_one_set_belong_together(void **state)
{
    struct metric_value value;
    (void)state;
    request.set_count = 3;
    add(0, COUNT_ALL, 0, (struct count){.count = 999, .measured = 1, .total = 1});
    add(0, COUNT_ALL, 1, (struct count){.count = 100, .measured = 1, .total = 1});
    add(2, COUNT_ALL, 1, (struct count){.count = 5, .measured = 1, .total = 1});
    add(1, COUNT_ALL, 2, (struct count){.count = 333, .measured = 1, .total = 1});
    assert_true(compute("spin contention", COUNT_ALL, &value));
    assert_true(fabs(value.value - 20) < 1e-12);
    assert_true(compute("IPC", COUNT_ALL, &value)); // from two sets, there is no other way
    assert_true(fabs(value.value - 3) < 1e-12);
}

static void errors_of_both_sides_count(void **state)
{
    struct metric_value value;
    (void)state;
    add(0, COUNT_USER, 0, (struct count){.count = 1000, .error = 30, .measured = 1, .total = 2});
    add(1, COUNT_USER, 0, (struct count){.count = 2000, .error = 80, .measured = 1, .total = 2});
    assert_true(compute("IPC", COUNT_USER, &value));
    assert_true(fabs(value.value - 0.5) < 1e-12);
    assert_true(fabs(value.error - 0.025) < 1e-12); // 3 % and 4 % are 5 % of 0.5
    counts[1].error = COUNT_ERROR_UNKNOWN;
    assert_true(compute("IPC", COUNT_USER, &value));
    assert_true(value.error < 0);
}

static struct metric_value in_interval(const char *name, const struct count_reading *between,
                                       u32 cpu)
{
    for (size_t i = 0; i < metric_count; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return metric_of_interval(&metrics[i], &request, between, cpu, COUNT_ALL);
    assert_true(false);
    return (struct metric_value){0};
}

static void an_interval_has_metrics_of_each_cpu_and_of_all(void **state)
{
    static struct count_reading before, after, between;
    (void)state;
    add(0, COUNT_ALL, 0, (struct count){0}); // instructions
    add(1, COUNT_ALL, 0, (struct count){0}); // cycles
    after.cpu_count = before.cpu_count = 2;
    after.items = before.items = 2;
    for (u32 i = 0; i < 2; i++) {
        before.cpus[i] = (struct cpu_counts){
            .cpu = 3 * i,
            .counts = {{.count = 1000, .measured = 50, .total = 50, .slices = 1},
                       {.count = 9000, .measured = 50, .total = 50, .slices = 1}}};
        after.cpus[i] = before.cpus[i];
    }
    after.cpus[0].counts[0] = (struct count){.count = 1300, .measured = 90, .total = 90};
    after.cpus[0].counts[1] = (struct count){.count = 9400, .measured = 90, .total = 90};
    after.cpus[1].counts[0] = (struct count){.count = 1100, .measured = 80, .total = 80};
    after.cpus[1].counts[1] = (struct count){.count = 11000, .measured = 70, .total = 80};
    count_reading_between(&before, &after, &between);
    struct metric_value value = in_interval("IPC", &between, 0);
    assert_true(fabs(value.value - 0.75) < 1e-12 && value.error == 0 && value.measured == 1);
    value = in_interval("IPC", &between, 3); // too few slices for an error
    assert_true(value.value > 0 && isnan(value.error));
    assert_true(fabs(value.measured - 20 / 30.0) < 1e-12);
    value = in_interval("IPC", &between, ALL_CPUS);
    assert_true(value.value > 0 && isnan(value.error));
    assert_true(fabs(value.measured - 60 / 70.0) < 1e-12);
    assert_true(isnan(in_interval("IPC", &between, 1).value)); // no such CPU
    assert_true(isnan(in_interval("spin contention", &between, ALL_CPUS).value));
    count_reading_between(&after, &after, &between); // no time has passed
    assert_true(isnan(in_interval("IPC", &between, ALL_CPUS).value));
}

// An IPC of 5.79 was seen: all instructions of two CPUs, and the cycles of one.
static void a_cpu_that_was_not_measured_on_one_side_is_on_neither(void **state)
{
    static struct count_reading reading;
    struct metric_value value;
    (void)state;
    add(0, COUNT_ALL, 0, (struct count){0}); // instructions
    add(1, COUNT_ALL, 0, (struct count){0}); // cycles
    reading.items = 2;
    reading.cpu_count = 3;
    reading.cpus[0] =
        (struct cpu_counts){.cpu = 0,
                            .counts = {{.count = 800, .error = 8, .measured = 5, .total = 10},
                                       {.count = 1000, .measured = 5, .total = 10}}};
    reading.cpus[1] = (struct cpu_counts){
        .cpu = 5,
        .counts = {{.count = 4990, .measured = 5, .total = 10},
                   {.total = 10, .error = COUNT_ERROR_UNKNOWN}}}; // no turn for cycles
    reading.cpus[2] = (struct cpu_counts){.cpu = 6};              // no time has passed on it
    value = in_interval("IPC", &reading, ALL_CPUS);
    assert_true(fabs(value.value - 0.8) < 1e-12);
    assert_true(fabs(value.error - 0.008) < 1e-12);
    assert_int_equal(value.left_out, 1 << 5);
    assert_true(isnan(in_interval("IPC", &reading, 5).value));
    assert_int_equal(in_interval("IPC", &reading, 0).left_out, 0);
    reading.cpus[1].counts[1] = (struct count){.count = 4990, .measured = 1, .total = 10};
    value = in_interval("IPC", &reading, ALL_CPUS);
    assert_true(fabs(value.value - 5790.0 / 5990) < 1e-12);
    assert_int_equal(value.left_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_five_metrics_are_those_of_the_paper, begin),
        cmocka_unit_test_setup(a_metric_without_one_of_its_events_is_none, begin),
        cmocka_unit_test_setup(events_of_one_set_belong_together, begin),
        cmocka_unit_test_setup(errors_of_both_sides_count, begin),
        cmocka_unit_test_setup(a_cpu_that_was_not_measured_on_one_side_is_on_neither, begin),
        cmocka_unit_test_setup(an_interval_has_metrics_of_each_cpu_and_of_all, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
