// SPDX-License-Identifier: MIT
// Events to sample: how they are written, what they are without a threshold,
// and what their samples stand for.
#include "unit.h"

#include "samples/sampled_events.h"
#include "samples/samples.h"
#include "samples/default_period.h"
#include "tools/kov.h"

#include <string.h>

static struct event_info infos[] = {
    {.event = 2, .name = "larx", .unit = "model"},
    {.event = 0, .name = "instructions", .unit = "model"},
    {.event = 15, .name = "own-cycles", .unit = "driver"},
};
static const struct event_list list = {.events = infos, .count = ARRAY_SIZE(infos)};

static void events_have_modes_and_thresholds(void **state)
{
    struct sampled_events events = {0};
    char title[SAMPLED_TITLE_BYTES];
    (void)state;
    assert_int_equal(sampled_events_add(&events, "larx:u@5000,larx:k,instructions", &list), KOV_OK);
    assert_int_equal(sampled_events_add(&events, "run-cycles@16", &list), KOV_OK);
    assert_int_equal(events.count, 4);
    assert_int_equal(events.events[0].event, 18);
    assert_int_equal(events.events[0].mode, COUNT_USER);
    assert_int_equal(events.events[0].period, 5000);
    assert_string_equal(sampled_event_title(&events.events[0], title), "larx:u");
    assert_int_equal(events.events[1].mode, COUNT_KERNEL);
    assert_int_equal(events.events[1].period, 0);
    assert_int_equal(events.events[2].event, 16);
    assert_int_equal(events.events[3].event, SAMPLED_RUN_CYCLES);
    assert_int_equal(events.events[3].period, 16);
}

static void the_cpus_own_event_has_the_number_that_every_machine_knows(void **state)
{
    struct sampled_events events = {0};
    (void)state;
    assert_int_equal(sampled_events_add(&events, "own-cycles", &list), KOV_OK);
    assert_int_equal(events.events[0].event, SAMPLED_RUN_CYCLES);
    assert_int_equal(sampled_events_add(&events, "run-cycles", &list), KOV_USAGE); // the same
}

static void what_is_written_wrong_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        ",larx",
        "larx,",
        "lar",
        "larxx",
        "larx:",
        "larx:x",
        "larx:uk",
        "larx@",
        "larx@15",
        "larx@x",
        "larx@1e5",
        "larx@-100",
        "@5000",
        "larx@5000:u",
        ":u",
        "larx,larx",
        "larx:u,larx:u",
        "run-cycles:u",
        "larx@2147483648",
        "larx@99999999999999999999999",
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct sampled_events events = {0};
        print_message("%s\n", wrong[i]);
        assert_int_equal(sampled_events_add(&events, wrong[i], &list), KOV_USAGE);
    }
}

static void there_are_sixteen_at_most(void **state)
{
    static struct event_info many[SAMPLED_EVENTS_MAX + 1];
    struct event_list list_of_many = {.events = many, .count = ARRAY_SIZE(many)};
    struct sampled_events events = {0};
    (void)state;
    for (u32 i = 0; i < ARRAY_SIZE(many); i++) {
        many[i] = (struct event_info){.event = i, .unit = "model"};
        snprintf(many[i].name, sizeof(many[i].name), "e%u", i);
        assert_int_equal(sampled_events_add(&events, many[i].name, &list_of_many),
                         i < SAMPLED_EVENTS_MAX ? KOV_OK : KOV_USAGE);
    }
}

static void a_name_finds_all_its_modes_and_a_title_one(void **state)
{
    struct sampled_events events = {0};
    (void)state;
    assert_int_equal(sampled_events_add(&events, "larx:u,larx:k,larx,instructions:u", &list),
                     KOV_OK);
    assert_int_equal(sampled_events_find(&events, "larx:k", 6), 2);
    assert_int_equal(sampled_events_find(&events, "larx", 4), 4); // it is a title, too
    assert_int_equal(sampled_events_find(&events, "instructions", 12), 8);
    assert_int_equal(sampled_events_find(&events, "stcx", 4), 0);
    events.count = 2;
    assert_int_equal(sampled_events_find(&events, "larx", 4), 3);
}

static void thresholds_are_those_of_the_thesis(void **state)
{
    (void)state;
    assert_int_equal(threshold_default("larx"), 100000);
    assert_int_equal(threshold_default("stcx-failed"), 100000);
    assert_int_equal(threshold_default("mispredicted"), 10000000);
    assert_int_equal(threshold_default("dtlb-miss"), 100000);
    assert_int_equal(threshold_default("instructions"), 10000000);
    assert_int_equal(threshold_default("cycles"), 100000000);
    assert_int_equal(threshold_default("what a later machine has"), 100000);
}

static void random_bits_fit_the_threshold(void **state)
{
    (void)state;
    assert_int_equal(threshold_randomise(100000, 10), 10);
    assert_int_equal(threshold_randomise(1024, 10), 9);
    assert_int_equal(threshold_randomise(16, 10), 3);
    assert_int_equal(threshold_randomise(1, 10), 0);
    assert_int_equal(threshold_randomise(0x7fffffff, 10), 0);
}

static void periods_are_those_in_force_when_a_sample_was_taken(void **state)
{
    struct sampled_events events = {.count = 2, .events = {{.period = 10}, {.period = 7}}};
    struct sample_set set = {.count_only = true};
    (void)state;
    samples_begin(&set, &events, 100);
    samples_change(&set, 0, 20, 200);
    samples_change(&set, 0, 40, 300);
    samples_change(&set, SAMPLED_EVENTS_MAX, 1, 0); // of no event
    static const struct {
        u64 time, weight;
    } expected[] = {{0, 10}, {100, 10}, {199, 10}, {200, 20}, {299, 20}, {300, 40}, {1000, 40}};
    u64 events_before = 0;
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        samples_add(&set, &(struct sample){.time = expected[i].time});
        assert_int_equal(samples_events(&set, 0).events - events_before, expected[i].weight);
        events_before = samples_events(&set, 0).events;
    }
    samples_add(&set, &(struct sample){.time = 1000, .index = 1});
    assert_int_equal(samples_events(&set, 1).events, 7);
    samples_add(&set, &(struct sample){.time = 1000, .index = SAMPLED_EVENTS_MAX});
    assert_int_equal(set.totals.samples, ARRAY_SIZE(expected) + 1);
    samples_begin(&set, &events, 2000); // a new session after a lost connection
    samples_add(&set, &(struct sample){.time = 2001});
    assert_int_equal(samples_events(&set, 0).events - events_before, 10);
    samples_free(&set);
}

static void the_last_of_many_periods_are_known(void **state)
{
    struct sampled_events events = {.count = 1, .events = {{.period = 1}}};
    struct sample_set set = {.count_only = true};
    const u64 changes = 10000;
    u64 all = 0;
    (void)state;
    samples_begin(&set, &events, 0);
    for (u64 i = 1; i <= changes; i++) {
        samples_change(&set, 0, i, 10 * i);
        samples_add(&set, &(struct sample){.time = 10 * i});     // of this one
        samples_add(&set, &(struct sample){.time = 10 * i - 1}); // late: of the one before
        all += i + (i == 1 ? 1 : i - 1);
    }
    assert_int_equal(samples_events(&set, 0).events, all);
    assert_int_equal(samples_period(&set, 0), changes);
    assert_int_equal(set.changes[0], changes);
    u64 oldest = changes - SAMPLE_PERIODS_KEPT + 1;
    samples_add(&set, &(struct sample){.time = 0});
    assert_int_equal(samples_events(&set, 0).events, all + oldest);
    samples_free(&set);
}

static void overflows_have_the_period_of_their_time(void **state)
{
    struct sampled_events events = {.count = 1, .events = {{.period = 10}}};
    struct sample_set set = {0};
    (void)state;
    samples_begin(&set, &events, 0);
    struct sample_stream *stream = samples_stream(&set, 0, 0);
    stream->taken = 100; // a storm, of which most is lost
    stream->lost = 900;
    samples_change(&set, 0, 1000, 50);
    stream->taken += 100;
    stream->missed = 5;
    double all = 1000 * 10 + 105 * 1000, taken = 100 * 10 + 100 * 1000;
    assert_true(samples_behind(&set, 0, 0) == all / taken);
    stream->overflows = 1200; // the unit knows better than taken + lost + missed
    assert_true(samples_behind(&set, 0, 0) == (1000 * 10 + 200 * 1000) / taken);
    samples_begin(&set, &events, 100); // another session counts from 0
    stream->taken = 3;
    stream->lost = stream->missed = stream->overflows = 0;
    assert_true(samples_behind(&set, 0, 0) == 1);
    samples_free(&set);
}

static void sums_are_by_cpu_and_event(void **state)
{
    struct sample_set set = {0};
    (void)state;
    samples_stream(&set, 0, 0)->lost = 1;
    samples_stream(&set, 0, 1)->lost = 10;
    samples_stream(&set, 2, 1)->lost = 100;
    assert_null(samples_stream(&set, SAMPLE_MAX_CPUS, 0));
    assert_null(samples_stream(&set, 0, SAMPLED_EVENTS_MAX));
    assert_int_equal(samples_sum(&set, 0, SAMPLES_ALL).lost, 11);
    assert_int_equal(samples_sum(&set, SAMPLES_ALL, 1).lost, 110);
    assert_int_equal(samples_sum(&set, 2, 0).lost, 0);
    assert_int_equal(samples_lost(&set), 111);
    samples_free(&set);
}

static void the_error_of_an_estimate_shrinks_with_the_root_of_the_samples(void **state)
{
    (void)state;
    double one = samples_error(1e10), hundred = samples_error(100 * 1e10);
    assert_true(one > 2.57e5 && one < 2.58e5);
    assert_true(hundred > 9.99 * one && hundred < 10.01 * one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_have_modes_and_thresholds),
        cmocka_unit_test(the_cpus_own_event_has_the_number_that_every_machine_knows),
        cmocka_unit_test(what_is_written_wrong_is_refused),
        cmocka_unit_test(there_are_sixteen_at_most),
        cmocka_unit_test(a_name_finds_all_its_modes_and_a_title_one),
        cmocka_unit_test(thresholds_are_those_of_the_thesis),
        cmocka_unit_test(random_bits_fit_the_threshold),
        cmocka_unit_test(periods_are_those_in_force_when_a_sample_was_taken),
        cmocka_unit_test(the_last_of_many_periods_are_known),
        cmocka_unit_test(overflows_have_the_period_of_their_time),
        cmocka_unit_test(sums_are_by_cpu_and_event),
        cmocka_unit_test(the_error_of_an_estimate_shrinks_with_the_root_of_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
