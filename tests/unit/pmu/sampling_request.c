// SPDX-License-Identifier: MIT
// What is asked to be sampled: checked, with the reason in words, and given counters.
#include <orrery/errors.h>
#include <pmu/sampling_request.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)
#define CPUS 3u
#define MODEL(event) (SYS_PMU_MODEL + (event))

static struct pmu_offer offer;
static struct sys_sampling sampling;
static struct sampling_plan plan;
static struct pmu_plan shared; // by the plan alone
static char message[128];

static int set_up(void **state)
{
    (void)state;
    memset(&offer, 0, sizeof(offer));
    pmu_offer_driver(&offer);
    offer.counters[MODEL_INSTRUCTIONS] = 0x81;
    offer.counters[MODEL_LARX] = 0x08;
    offer.counters[MODEL_LOADS] = 0x89;
    sampling = (struct sys_sampling){0};
    memset(message, 'x', sizeof(message));
    return 0;
}

static struct sys_sampled_event *add(u32 event, u32 filter, u64 period)
{
    struct sys_sampled_event *new = &sampling.events[sampling.event_count++];
    *new = (struct sys_sampled_event){.event = event, .filter = filter, .period = period};
    return new;
}

static s64 make(void)
{
    return sampling_plan_make(&sampling, &offer, CPUS, &plan, message, sizeof(message));
}

// The error of the allocation, with its reason in message.
static s64 share(void)
{
    const struct pmu_claim *claims[PMU_CLAIMS] = {&plan.claim};
    struct pmu_conflict conflict;
    assert_int_equal(make(), 0);
    s64 error = pmu_share(claims, NULL, &shared, &conflict);
    if (error != 0)
        pmu_conflict_text(&shared.request, &conflict, message, sizeof(message));
    return error;
}

static void expect(s64 error, const char *words)
{
    assert_int_equal(make(), error);
    assert_non_null(strstr(message, words));
}

static void each_event_has_a_counter_of_its_own(void **state)
{
    (void)state;
    add(MODEL(MODEL_LOADS), BOTH, 1000);
    add(MODEL(MODEL_LARX), SYS_PMU_USER, 1000);
    add(MODEL(MODEL_INSTRUCTIONS), SYS_PMU_KERNEL, SYS_PERIOD_MAX);
    add(SYS_PMU_CYCLES, BOTH, 100000)->randomise = SYS_RANDOMISE_MAX;
    assert_int_equal(share(), 0);
    assert_string_equal(message, "");
    assert_int_equal(plan.claim.request.items, 3); // cycles of the CPU itself are another unit's
    u32 used = 0;
    for (u32 i = 0; i < 3; i++) {
        u32 number = sampling_event_number(sampling.events[i].event);
        u32 counter = pmu_view_counter(&shared.view[0], plan.item[i]);
        assert_true((offer.counters[number] >> counter & 1) != 0);
        assert_int_equal(plan.claim.request.item[plan.item[i]].source, i + 1);
        used |= 1u << counter;
    }
    assert_int_equal(__builtin_popcount(used), 3);
    assert_memory_equal(&plan.sampling, &sampling, sizeof(sampling));
}

static void what_fits_at_once_keeps_its_counters(void **state)
{
    (void)state;
    add(MODEL(MODEL_LOADS), BOTH, 1000);
    add(MODEL(MODEL_LARX), BOTH, 1000);
    assert_int_equal(share(), 0);
    assert_true(plan.claim.steady);
    assert_int_equal(shared.allocation.groups, 1);
    assert_int_equal(shared.slice_item, PMU_NO_ITEM);
}

// Measured in instructions, which are counted beside, sampled or not.
static void what_does_not_takes_turns(void **state)
{
    (void)state;
    add(SYS_PMU_CYCLES, BOTH, 100000);
    add(MODEL(MODEL_INSTRUCTIONS), BOTH, 1000);
    add(MODEL(MODEL_LARX), SYS_PMU_USER, 1000);
    add(MODEL(MODEL_LARX), SYS_PMU_KERNEL, 1000);
    assert_int_equal(share(), 0);
    assert_false(plan.claim.steady);
    assert_int_equal(plan.claim.request.items, 4);
    assert_int_equal(plan.claim.request.item[0].source, 0);
    assert_int_equal(plan.claim.request.item[0].event, MODEL_INSTRUCTIONS);
    assert_int_equal(shared.allocation.groups, 2);
    assert_int_equal(shared.slice, SYS_PMU_SLICE_DEFAULT);
    for (u32 group = 0; group < 2; group++) {
        const u8 *items = shared.view[0].group[group].item;
        assert_non_null(memchr(items, 0, PMU_COUNTERS));
        assert_true(items[3] == plan.item[2] || items[3] == plan.item[3]);
    }
    for (u32 i = 1; i < sampling.event_count; i++)
        assert_int_equal(plan.claim.request.item[plan.item[i]].source, i + 1);
}

static void a_conflict_names_its_events(void **state)
{
    (void)state;
    offer.counters[MODEL_INSTRUCTIONS] = offer.counters[MODEL_LARX];
    add(MODEL(MODEL_LARX), SYS_PMU_USER, 1000);
    add(MODEL(MODEL_LARX), SYS_PMU_KERNEL, 1000);
    assert_int_equal(share(), E_BUSY);
    assert_string_equal(message, "instructions, larx:u: 2 events, only counter 3");
}

static void absurd_thresholds_are_refused(void **state)
{
    static const u64 periods[] = {0, 1, 999, SYS_PERIOD_MAX + 1UL, 1UL << 63, UINT64_MAX};
    (void)state;
    struct sys_sampled_event *event = add(MODEL(MODEL_LARX), BOTH, 1000);
    for (u32 i = 0; i < ARRAY_SIZE(periods); i++) {
        event->period = periods[i];
        expect(E_INVAL, "event 0: period");
    }
    event->period = 1024;
    event->randomise = 10;
    expect(E_INVAL, "event 0: period");
    event->randomise = UINT32_MAX;
    expect(E_INVAL, "event 0: period");
    event->period = SYS_PERIOD_MAX; // the longest random one is beyond
    event->randomise = 1;
    expect(E_INVAL, "event 0: period");
}

static void records_may_be_closer_than_interrupts(void **state)
{
    (void)state;
    struct sys_sampled_event *event = add(MODEL(MODEL_LARX), BOTH, SYS_PRECISE_PERIOD_MIN);
    expect(E_INVAL, "1000");
    sampling.flags = SYS_SAMPLING_PRECISE;
    expect(0, "");
    event->period--;
    expect(E_INVAL, "16");
}

static void what_gives_way_takes_turns_though_it_fits(void **state)
{
    (void)state;
    add(MODEL(MODEL_LARX), BOTH, 1000);
    expect(0, "");
    assert_true(plan.claim.steady);
    sampling.flags = SYS_SAMPLING_TURNS;
    expect(0, "");
    assert_false(plan.claim.steady);
    assert_true(plan.claim.slice > 0);
    assert_int_equal(plan.claim.request.item[plan.item[0]].event, MODEL_LARX);
    sampling.flags = SYS_SAMPLING_TURNS << 1;
    expect(E_INVAL, "unknown flags");
}

static void what_the_cpu_itself_counts_has_no_filters_and_no_records(void **state)
{
    (void)state;
    add(SYS_PMU_CYCLES, SYS_PMU_USER, 1000);
    expect(E_NOTSUP, "both");
    sampling.events[0].filter = BOTH;
    expect(0, "");
    sampling.flags = SYS_SAMPLING_PRECISE;
    expect(E_NOTSUP, "precise");
}

static void events_that_are_not_there_are_told(void **state)
{
    static const u32 events[] = {
        0, 2, SYS_PMU_MODEL - 1, MODEL(MODEL_STCX), MODEL(MODEL_EVENTS), UINT32_MAX};
    (void)state;
    add(SYS_PMU_CYCLES, BOTH, 1000);
    struct sys_sampled_event *event = add(0, BOTH, 1000);
    for (u32 i = 0; i < ARRAY_SIZE(events); i++) {
        event->event = events[i];
        expect(E_NOTSUP, "event 1: no unit");
    }
}

static void bad_sessions_are_refused(void **state)
{
    (void)state;
    expect(E_INVAL, "event_count");
    add(MODEL(MODEL_LARX), BOTH, 1000);
    const struct sys_sampling good = sampling;
    sampling.event_count = SYS_SAMPLING_EVENTS + 1;
    expect(E_INVAL, "event_count");
    sampling = good;
    sampling.flags = SYS_SAMPLING_TURNS << 1;
    expect(E_INVAL, "flags");
    sampling = good;
    sampling.callers = SYS_CALLERS_MAX + 1;
    expect(E_INVAL, "callers");
    sampling = good;
    sampling.cpu_mask = CPUS + 1;
    expect(E_INVAL, "cpu_mask");
    sampling = good;
    sampling.events[0].filter = 0;
    expect(E_INVAL, "filter");
    sampling.events[0].filter = 7;
    expect(E_INVAL, "filter");
    sampling = good;
    sampling.events[0].reserved = 1;
    expect(E_INVAL, "reserved");
    sampling = good;
    add(MODEL(MODEL_LARX), BOTH, 2000);
    expect(E_INVAL, "event 1: the same");
}

static void messages_are_cut_or_left_out(void **state)
{
    (void)state;
    assert_int_equal(sampling_plan_make(&sampling, &offer, CPUS, &plan, message, 6), E_INVAL);
    assert_string_equal(message, "event");
    assert_int_equal(sampling_plan_make(&sampling, &offer, CPUS, &plan, NULL, 0), E_INVAL);
    add(MODEL(MODEL_LARX), BOTH, 1000);
    assert_int_equal(sampling_plan_make(&sampling, &offer, CPUS, &plan, NULL, 0), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_event_has_a_counter_of_its_own),
        TEST(what_fits_at_once_keeps_its_counters),
        TEST(what_does_not_takes_turns),
        TEST(a_conflict_names_its_events),
        TEST(absurd_thresholds_are_refused),
        TEST(records_may_be_closer_than_interrupts),
        TEST(what_gives_way_takes_turns_though_it_fits),
        TEST(what_the_cpu_itself_counts_has_no_filters_and_no_records),
        TEST(events_that_are_not_there_are_told),
        TEST(bad_sessions_are_refused),
        TEST(messages_are_cut_or_left_out),
    };
    return cmocka_run_group_tests_name("pmu_sampling_request", tests, NULL, NULL);
}
