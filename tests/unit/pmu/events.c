// SPDX-License-Identifier: MIT
// The list of events, and offers: what a machine's page says, believed only when it can be true.
#include <orrery/errors.h>
#include <pmu/events.h>
#include "model/models/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct model_page page;
static struct pmu_offer offer;

static int set_up(void **state)
{
    (void)state;
    memset(&page, 0, sizeof(page));
    memset(&offer, 0, sizeof(offer));
    page.magic = MODEL_MAGIC;
    page.version = MODEL_VERSION;
    page.events = 1UL << MODEL_LARX | 1UL << MODEL_STORES | 1UL << MODEL_L2_MISS;
    page.exact = 1UL << MODEL_LARX | 1UL << MODEL_STORES | 1UL << MODEL_TAKEN;
    page.counters[MODEL_LARX] = 0x08;
    page.counters[MODEL_STORES] = 0x82;
    page.counters[MODEL_L2_MISS] = 0xff;
    page.counters[MODEL_TAKEN] = 0x12; // of an event that is not there
    strcpy(page.machine, "a machine");
    return 0;
}

static void events_of_the_model_unit_are_named_as_its_configuration_names_them(void **state)
{
    (void)state;
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        assert_string_equal(pmu_events[event].name, model_event_names[event]);
        assert_int_equal(pmu_events[event].unit, PMU_UNIT_MODEL);
    }
    assert_int_equal(pmu_events[PMU_RUN_CYCLES].unit, PMU_UNIT_DRIVER);
}

static void every_event_has_a_meaning_and_a_name_of_its_own(void **state)
{
    (void)state;
    for (u32 event = 0; event < PMU_EVENTS; event++) {
        assert_true(strlen(pmu_events[event].meaning) > 0);
        for (u32 other = 0; other < event; other++)
            assert_string_not_equal(pmu_events[event].name, pmu_events[other].name);
    }
}

static void the_driver_alone_offers_run_cycles(void **state)
{
    (void)state;
    pmu_offer_driver(&offer);
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        assert_int_equal(offer.counters[event], 0);
    assert_int_equal(offer.counters[PMU_RUN_CYCLES], 1u << PMU_DRIVER_COUNTER);
    assert_int_equal(offer.exact, 1u << PMU_RUN_CYCLES);
    assert_string_equal(offer.machine, "");
}

static void the_model_unit_adds_its_events_to_the_driver_s(void **state)
{
    (void)state;
    pmu_offer_driver(&offer);
    assert_int_equal(pmu_offer_model(&offer, &page), 0);
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        bool there = (page.events >> event & 1) != 0;
        assert_int_equal(offer.counters[event], there ? page.counters[event] : 0);
    }
    assert_int_equal(offer.counters[PMU_RUN_CYCLES], 1u << PMU_DRIVER_COUNTER);
    assert_int_equal(offer.exact, 1u << PMU_RUN_CYCLES | 1u << MODEL_LARX | 1u << MODEL_STORES);
    assert_string_equal(offer.machine, "a machine");
}

static void expect_refused(s64 error)
{
    struct pmu_offer before;
    memset(&offer, 0x5a, sizeof(offer));
    before = offer;
    assert_int_equal(pmu_offer_model(&offer, &page), error);
    assert_memory_equal(&offer, &before, sizeof(offer));
}

static void a_page_that_nobody_answered_offers_nothing(void **state)
{
    (void)state;
    page.magic = 0;
    expect_refused(E_NOTSUP);
    page.magic = __builtin_bswap64(MODEL_MAGIC);
    expect_refused(E_NOTSUP);
}

static void another_version_is_refused(void **state)
{
    (void)state;
    page.version = MODEL_VERSION + 1;
    expect_refused(E_PROTO);
}

static void an_impossible_machine_is_refused(void **state)
{
    (void)state;
    page.counters[MODEL_LARX] = 0x100; // no such counter
    expect_refused(E_PROTO);
    set_up(state);
    page.counters[MODEL_LARX] = 0; // an event without one
    expect_refused(E_PROTO);
    set_up(state);
    page.events |= 1UL << MODEL_EVENTS;
    expect_refused(E_PROTO);
    set_up(state);
    page.events |= 1UL << 63;
    expect_refused(E_PROTO);
    set_up(state);
    memset(page.machine, 'x', sizeof(page.machine));
    expect_refused(E_PROTO);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_of_the_model_unit_are_named_as_its_configuration_names_them),
        TEST(every_event_has_a_meaning_and_a_name_of_its_own),
        TEST(the_driver_alone_offers_run_cycles),
        TEST(the_model_unit_adds_its_events_to_the_driver_s),
        TEST(a_page_that_nobody_answered_offers_nothing),
        TEST(another_version_is_refused),
        TEST(an_impossible_machine_is_refused),
    };
    return cmocka_run_group_tests_name("pmu_events", tests, NULL, NULL);
}
