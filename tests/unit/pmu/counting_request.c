// SPDX-License-Identifier: MIT
// What is asked to be counted: checked, and put into groups that all have the counter of slices.
#include <orrery/errors.h>
#include <pmu/counting_request.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)
#define CPUS 3u

static struct pmu_offer offer;
static struct sys_pmu_counting counting;
static struct counting_plan plan;
static struct pmu_plan shared; // by the plan alone
static struct pmu_conflict conflict;
static char message[128];

static int set_up(void **state)
{
    (void)state;
    memset(&offer, 0, sizeof(offer));
    offer.counters[MODEL_INSTRUCTIONS] = 0x81;
    offer.counters[MODEL_CYCLES] = 0x60;
    offer.counters[MODEL_LARX] = 0x08;
    offer.counters[MODEL_LOADS] = 0xff;
    counting = (struct sys_pmu_counting){
        .set_count = 2, .slice_event = MODEL_INSTRUCTIONS, .shares = {1, 1000}};
    memset(message, 'x', sizeof(message));
    return 0;
}

static void add(u32 event, u32 filter, u32 set)
{
    counting.items[counting.item_count++] =
        (struct sys_pmu_item){.event = event, .filter = filter, .set = set};
}

static s64 make(void)
{
    return counting_plan_make(&counting, &offer, CPUS, &plan, message, sizeof(message));
}

// The error of the allocation.
static s64 share(void)
{
    const struct pmu_claim *claims[PMU_CLAIMS] = {&plan.claim};
    assert_int_equal(make(), 0);
    return pmu_share(claims, NULL, &shared, &conflict);
}

// What is said of it.
static const char *reason(void)
{
    pmu_conflict_text(&shared.request, &conflict, message, sizeof(message));
    return message;
}

static bool group_has(u32 group, u32 item)
{
    return memchr(shared.allocation.group[group].item, (int)item, PMU_COUNTERS) != NULL;
}

static void every_group_measures_slices(void **state)
{
    (void)state;
    add(MODEL_LARX, SYS_PMU_USER, 0);
    add(MODEL_LARX, SYS_PMU_KERNEL, 0);
    add(MODEL_LOADS, BOTH, 1);
    assert_int_equal(share(), 0);
    assert_string_equal(message, "");
    assert_int_equal(shared.allocation.groups, 3);
    assert_int_equal(plan.claim.request.item[0].event, MODEL_INSTRUCTIONS);
    for (u32 group = 0; group < 3; group++)
        assert_true(group_has(group, 0));
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(plan.claim.request.item[plan.place[i]].event, counting.items[i].event);
        assert_int_equal(plan.claim.request.item[plan.place[i]].filter, counting.items[i].filter);
    }
    assert_int_equal(plan.claim.slice, 1000000);
}

static void what_is_asked_for_twice_is_counted_once(void **state)
{
    (void)state;
    add(MODEL_LARX, BOTH, 0);
    add(MODEL_LARX, BOTH, 0);
    add(MODEL_LARX, BOTH, 1); // in turn with the first
    add(MODEL_INSTRUCTIONS, BOTH, 1);
    add(MODEL_INSTRUCTIONS, SYS_PMU_USER, 1);
    counting.slice = 12345;
    assert_int_equal(make(), 0);
    assert_int_equal(plan.items, 5);
    assert_int_equal(plan.claim.request.items, 4);
    assert_int_equal(plan.place[0], plan.place[1]);
    assert_int_not_equal(plan.place[0], plan.place[2]);
    assert_int_equal(plan.place[3], 0); // measures slices
    assert_int_not_equal(plan.place[4], 0);
    assert_int_equal(plan.claim.slice, 12345);
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        struct sys_pmu_counting good = counting;                                                   \
        counting.change;                                                                           \
        assert_int_equal(make(), E_INVAL);                                                         \
        assert_string_equal(message, "a number is out of its range");                              \
        counting = good;                                                                           \
    } while (0)

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    add(MODEL_LARX, BOTH, 1);
    REFUSED(item_count = 0);
    REFUSED(item_count = SYS_PMU_ITEMS + 1);
    REFUSED(item_count = UINT32_MAX);
    REFUSED(set_count = 0);
    REFUSED(set_count = 1);
    REFUSED(set_count = SYS_PMU_SETS + 1);
    REFUSED(cpu_mask = CPUS + 1);
    REFUSED(slice_event = MODEL_LARX);
    REFUSED(slice_event = PMU_RUN_CYCLES);
    REFUSED(slice_event = UINT32_MAX);
    REFUSED(slice = 9999);
    REFUSED(slice = 1000000001);
    REFUSED(shares[1] = 0);
    REFUSED(shares[1] = 1001);
    REFUSED(items[0].event = PMU_EVENTS);
    REFUSED(items[0].event = 256 + MODEL_LARX);
    REFUSED(items[0].filter = 0);
    REFUSED(items[0].filter = 4 | SYS_PMU_USER);
    REFUSED(items[0].filter = 256 | SYS_PMU_USER);
    REFUSED(items[0].set = 2);
    REFUSED(items[0].set = PMU_EVERY_GROUP);
    REFUSED(items[0].reserved = 1);
    counting.slice = 1000000000;
    counting.cpu_mask = CPUS;
    assert_int_equal(make(), 0);
}

static void events_that_no_counter_counts_are_named(void **state)
{
    (void)state;
    add(MODEL_LARX, BOTH, 0);
    add(MODEL_STORES, SYS_PMU_KERNEL, 0);
    assert_int_equal(share(), E_NOTSUP);
    assert_string_equal(reason(), "stores:k: cannot be counted");
    offer.counters[MODEL_INSTRUCTIONS] = 0;
    assert_int_equal(make(), E_NOTSUP);
    assert_string_equal(message, "no unit of this machine counts what slices are measured in");
}

static void conflicts_are_a_limit_and_named(void **state)
{
    (void)state;
    counting.set_count = SYS_PMU_SETS;
    for (u32 set = 0; set < SYS_PMU_SETS; set++) {
        counting.shares[set] = 1;
        add(MODEL_LARX, SYS_PMU_USER, set);
    }
    assert_int_equal(share(), 0);
    add(MODEL_LARX, SYS_PMU_KERNEL, 5);
    assert_int_equal(share(), E_LIMIT);
    assert_string_equal(reason(), "larx:u, larx:k: 2 events, only counter 3");
}

// The one counter that can count an event is that of slices: no group has both.
static void conflicts_with_the_counter_of_slices_are_named(void **state)
{
    (void)state;
    offer.counters[MODEL_CYCLES] = 0x08;
    counting.slice_event = MODEL_CYCLES;
    add(MODEL_LARX, BOTH, 0);
    assert_int_equal(share(), E_BUSY);
    assert_non_null(strstr(reason(), "larx"));
    assert_non_null(strstr(reason(), "cycles"));
}

static void too_many_events_are_a_limit(void **state)
{
    (void)state;
    counting.set_count = SYS_PMU_SETS;
    for (u32 set = 0; set < SYS_PMU_SETS; set++)
        counting.shares[set] = 1;
    for (u32 i = 0; i < SYS_PMU_ITEMS; i++)
        add(MODEL_LOADS, 1 + i % 3, i / 4);
    assert_int_equal(make(), 0); // every fourth is one twice
    for (u32 i = 0; i < SYS_PMU_ITEMS; i += 4)
        counting.items[i] = (struct sys_pmu_item){MODEL_CYCLES, BOTH, i / 4, 0};
    assert_int_equal(make(), E_LIMIT);
    assert_string_equal(message, "too many events");
}

static void messages_are_cut(void **state)
{
    (void)state;
    counting.item_count = 0;
    assert_int_equal(counting_plan_make(&counting, &offer, CPUS, &plan, message, 4), E_INVAL);
    assert_memory_equal(message, "a n", 4);
    assert_int_equal(message[4], 'x');
    assert_int_equal(counting_plan_make(&counting, &offer, CPUS, &plan, NULL, 0), E_INVAL);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_group_measures_slices),
        TEST(what_is_asked_for_twice_is_counted_once),
        TEST(numbers_out_of_range_are_refused),
        TEST(events_that_no_counter_counts_are_named),
        TEST(conflicts_are_a_limit_and_named),
        TEST(conflicts_with_the_counter_of_slices_are_named),
        TEST(too_many_events_are_a_limit),
        TEST(messages_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
