// SPDX-License-Identifier: MIT
// Contention by object, from samples whose shares and totals are worked out by hand.
#include "unit.h"

#include "locks/contention.h"
#include "tools/kov.h"

#include <math.h>
#include <string.h>

struct settings settings; // programs.c asks where the programs are

#define LARX_PERIOD 1000
#define INSTRUCTIONS_PERIOD 100000

static struct snapshot snapshot;
static struct sample_set samples;
static struct contention contention;

static int begin(void **state)
{
    static const struct sampled_events events = {
        .events = {[CONTENTION_LARX] = {.period = LARX_PERIOD},
                   [CONTENTION_INSTRUCTIONS] = {.period = INSTRUCTIONS_PERIOD},
                   [CONTENTION_STCX] = {.period = LARX_PERIOD},
                   [CONTENTION_STCX_FAILED] = {.period = LARX_PERIOD}},
        .count = CONTENTION_EVENTS};
    (void)state;
    memset(&snapshot, 0, sizeof(snapshot));
    memset(&samples, 0, sizeof(samples));
    samples_begin(&samples, &events, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    contention_free(&contention);
    samples_free(&samples);
    snapshot_free(&snapshot);
    return 0;
}

static void add(u32 cpu, enum contention_event event, coid_t coid, int count)
{
    struct sample sample = {.cpu = cpu,
                            .index = event,
                            .coid = coid,
                            .flags = SYS_SAMPLE_KERNEL | (coid != 0 ? SYS_SAMPLE_ATTRIBUTED : 0)};
    for (int i = 0; i < count; i++)
        samples_add(&samples, &sample);
    samples_stream(&samples, cpu, event)->taken += (u64)count;
}

static void compute(u32 events, bool filtered)
{
    contention_compute(&samples, events, filtered, &snapshot, &contention);
}

static const struct contention_row *row(size_t number, coid_t coid)
{
    assert_true(number < contention.count);
    assert_int_equal(contention.rows[number].coid, coid);
    return &contention.rows[number];
}

static void near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

static void shares_are_of_all_larx_and_the_largest_comes_first(void **state)
{
    (void)state;
    add(0, CONTENTION_LARX, 16, 20);
    add(1, CONTENTION_LARX, 32, 60);
    add(1, CONTENTION_LARX, 0, 20);
    compute(CONTENTION_LARX_ONLY, false);
    assert_int_equal(contention.count, 3);
    near(row(0, 32)->share.value, 60);
    near(row(0, 32)->share.error, 257.6 * sqrt(0.6 * 0.4 / 100));
    near(row(0, 32)->larx.value, 60000);
    assert_true(row(1, 16)->share.value == 20 || row(1, 0)->share.value == 20);
    assert_int_equal(contention.rows[1].samples, 20);
}

static void a_whole_is_between_its_overflows_and_the_next_ones(void **state)
{
    (void)state;
    add(0, CONTENTION_LARX, 16, 5);
    add(3, CONTENTION_LARX, 16, 7); // nothing of CPUs 1 and 2
    add(3, CONTENTION_INSTRUCTIONS, 16, 1);
    compute(CONTENTION_LARX_ONLY, false);
    near(contention.totals[CONTENTION_LARX].value, 13000);
    near(contention.totals[CONTENTION_LARX].error, 1000);
    near(contention.totals[CONTENTION_INSTRUCTIONS].value, 2 * INSTRUCTIONS_PERIOD);
    near(contention.metric.value, 100 * 4 * 13000.0 / 200000);
    near(contention.metric.error, contention.metric.value * hypot(1.0 / 13, 0.5));
    near(row(0, 16)->instructions.value, 100 * 4 * 12000.0 / 200000);
}

static void overflows_without_a_sample_count_as_those_with_one(void **state)
{
    (void)state;
    add(0, CONTENTION_LARX, 16, 10);
    add(1, CONTENTION_LARX, 32, 10);
    samples_stream(&samples, 1, CONTENTION_LARX)->lost = 20; // no overflows told
    compute(CONTENTION_LARX_ONLY, false);
    near(row(0, 32)->share.value, 75);
    contention_free(&contention);
    samples_stream(&samples, 1, CONTENTION_LARX)->overflows = 90;
    compute(CONTENTION_LARX_ONLY, false);
    near(row(0, 32)->share.value, 90);
    near(contention.totals[CONTENTION_LARX].value, 101000);
    // The ten weigh as much as 90, so that chance has more room than with 100 samples.
    near(row(0, 32)->chance.share, 257.6 * sqrt(0.9 * 0.1 * (10 + 810) / (100 * 100)));
    // And the 80 without a sample may have been of the other object: then it had 90 of 100, and
    // this one 10.
    near(row(0, 32)->share.error, row(0, 32)->chance.share + 80 * 0.9);
    near(row(0, 32)->larx.error, 2576 * sqrt(10 * 9.0 * 9) + 80 * 0.9 * 1000);
    near(row(1, 16)->share.error, row(1, 16)->chance.share + 80 * 0.9);
}

static void thresholds_that_change_leave_shares_as_they_are(void **state)
{
    (void)state;
    add(0, CONTENTION_LARX, 16, 100); // as many larx as the ten behind
    samples_stream(&samples, 0, CONTENTION_LARX)->lost = 300;
    samples_change(&samples, CONTENTION_LARX, 10 * LARX_PERIOD, 0);
    add(0, CONTENTION_LARX, 32, 10);
    compute(CONTENTION_LARX_ONLY, false);
    // 400 of the small period and ten of the large one. Who the lost ones were is not known: the
    // 500,000 larx divide as the samples do.
    near(row(0, contention.rows[0].coid)->share.value, 50);
    near(row(1, contention.rows[1].coid)->larx.value, 250000);
    near(contention.totals[CONTENTION_LARX].value, 500000 + 200000 / 110.0 / 2);
}

static void acquisitions_are_stcx_that_did_not_fail(void **state)
{
    (void)state;
    add(0, CONTENTION_LARX, 16, 10);
    add(0, CONTENTION_STCX, 16, 4);
    add(0, CONTENTION_STCX_FAILED, 16, 1);
    add(0, CONTENTION_STCX, 32, 2); // taken, never waited for
    compute(CONTENTION_EVENTS, false);
    assert_int_equal(contention.count, 2);
    near(row(0, 16)->acquisitions.value, 3000);
    near(row(0, 16)->acquisitions.error, 2576 * sqrt(5));
    near(row(1, 32)->acquisitions.value, 2000);
    assert_int_equal(row(1, 32)->samples, 0);
    assert_true(row(1, 32)->share.value == 0);
}

static void a_part_of_all_processes_is_no_more_than_its_samples(void **state)
{
    (void)state;
    add(0, CONTENTION_LARX, 16, 100);
    samples_stream(&samples, 0, CONTENTION_LARX)->taken = 400;
    samples_stream(&samples, 0, CONTENTION_LARX)->filtered = 300;
    compute(CONTENTION_LARX_ONLY, true);
    near(contention.totals[CONTENTION_LARX].value, 100000);
    near(contention.totals[CONTENTION_LARX].error, 25760);
}

static void without_samples_nothing_is_known(void **state)
{
    (void)state;
    compute(CONTENTION_EVENTS, false);
    assert_int_equal(contention.count, 0);
    assert_true(isinf(contention.metric.error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(shares_are_of_all_larx_and_the_largest_comes_first, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_whole_is_between_its_overflows_and_the_next_ones, begin,
                                        end),
        cmocka_unit_test_setup_teardown(overflows_without_a_sample_count_as_those_with_one, begin,
                                        end),
        cmocka_unit_test_setup_teardown(thresholds_that_change_leave_shares_as_they_are, begin,
                                        end),
        cmocka_unit_test_setup_teardown(acquisitions_are_stcx_that_did_not_fail, begin, end),
        cmocka_unit_test_setup_teardown(a_part_of_all_processes_is_no_more_than_its_samples, begin,
                                        end),
        cmocka_unit_test_setup_teardown(without_samples_nothing_is_known, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
