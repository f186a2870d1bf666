// SPDX-License-Identifier: MIT
// Groups of events, against two witnesses that know nothing of augmenting paths: trying everything,
// for small requests, and counting by Hall's condition, for larger ones.
#include <orrery/errors.h>
#include <pmu/allocate.h>
#include "model/models/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BOTH (MODEL_KERNEL | MODEL_USER)

static struct pmu_request request;
static struct pmu_allocation allocation;
static struct pmu_conflict conflict;
static u64 random_state;

static int set_up(void **state)
{
    (void)state;
    memset(&request, 0, sizeof(request));
    request.sets = 1;
    request.groups = PMU_GROUPS_MAX;
    request.share[0] = 1;
    random_state = 1;
    return 0;
}

static u64 draw(u64 below)
{
    u64 z = random_state += 0x9e3779b97f4a7c15UL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
    return (z ^ z >> 31) % below;
}

static u32 ask(u32 event, u32 filter, u32 set, u32 counters)
{
    request.item[request.items] = (struct pmu_item){
        .event = (u8)event, .filter = (u8)filter, .set = (u8)set, .counters = counters};
    return request.items++;
}

static s64 allocate(void)
{
    memset(&allocation, 0x5a, sizeof(allocation));
    memset(&conflict, 0x5a, sizeof(conflict));
    return pmu_allocate(&request, &allocation, &conflict);
}

static bool every_group(u32 item)
{
    return request.item[item].set == PMU_EVERY_GROUP;
}

// ---- the first witness: try everything ---------------------------------------------------------

// Can these items be counted at once, with these counters already used?
static bool together(u64 items, u32 used)
{
    if (items == 0)
        return true;
    u32 item = (u32)__builtin_ctzl(items);
    for (u32 counter = 0; counter < PMU_COUNTERS; counter++) {
        u32 bit = 1u << counter;
        if ((request.item[item].counters & ~used & bit) != 0 &&
            together(items & (items - 1), used | bit))
            return true;
    }
    return false;
}

static bool all_together(const u64 *group, u32 groups)
{
    for (u32 g = 0; g < groups; g++) {
        if (!together(group[g], 0))
            return false;
    }
    return true;
}

// Can the items be spread over groups which hold so much?
static bool spread(u64 items, u64 *group, u32 groups)
{
    if (items == 0)
        return all_together(group, groups);
    u64 item = items & -items;
    bool found = false;
    for (u32 g = 0; g < groups && !found; g++) {
        group[g] |= item;
        found = spread(items & ~item, group, groups);
        group[g] &= ~item;
    }
    return found;
}

static bool fits(u64 items, u32 groups)
{
    u64 group[PMU_GROUPS_MAX];
    u64 always = 0;
    for (u32 i = 0; i < request.items; i++)
        always |= every_group(i) ? items & 1UL << i : 0;
    for (u32 g = 0; g < groups; g++)
        group[g] = always;
    return spread(items & ~always, group, groups);
}

static u64 all_items(void)
{
    return ~0UL >> (64 - request.items);
}

// 0: at any number.
static u32 fewest_groups(void)
{
    for (u32 groups = 1; groups <= request.items; groups++) {
        if (fits(all_items(), groups))
            return groups;
    }
    return 0;
}

// ---- what holds of every answer ----------------------------------------------------------------

static u64 members(const struct pmu_group *group)
{
    u64 items = 0;
    for (u32 counter = 0; counter < PMU_COUNTERS; counter++) {
        u32 item = group->item[counter];
        if (item == PMU_NO_ITEM)
            continue;
        assert_true(item < request.items);
        assert_true((request.item[item].counters >> counter & 1) != 0);
        assert_true((items >> item & 1) == 0); // once
        assert_true(every_group(item) || request.item[item].set == group->set);
        items |= 1UL << item;
    }
    return items;
}

static void check_allocation(void)
{
    u64 placed = 0;
    u64 shares = 0;
    for (u32 g = 0; g < allocation.groups; g++) {
        const struct pmu_group *group = &allocation.group[g];
        u64 items = members(group);
        placed |= items;
        shares += group->share;
        for (u32 i = 0; i < request.items; i++) {
            bool in = (items >> i & 1) != 0;
            assert_true(in || !every_group(i));
            // Counters are left over only when they are of no use to the set.
            if (!in && request.item[i].set == group->set)
                assert_false(together(items | 1UL << i, 0));
        }
    }
    assert_int_equal(placed, all_items());
    assert_int_equal(shares, PMU_WHOLE_TIME);
}

static void check_conflict(void)
{
    u32 counters = 0;
    assert_false(fits(conflict.items, conflict.groups));
    for (u32 i = 0; i < request.items; i++) {
        if ((conflict.items >> i & 1) == 0)
            continue;
        counters |= request.item[i].counters;
        assert_true(fits(conflict.items & ~(1UL << i), conflict.groups));
    }
    assert_int_equal(conflict.counters, counters);
    assert_int_equal(conflict.items & ~all_items(), 0);
}

static void compare(void)
{
    u32 fewest = fewest_groups();
    s64 result = allocate();
    if (fewest == 0) {
        assert_int_equal(result, E_BUSY);
        assert_int_equal(conflict.groups, 1);
        check_conflict();
        return;
    }
    assert_int_equal(result, 0);
    assert_int_equal(allocation.groups, fewest);
    check_allocation();
    if (fewest == 1)
        return;
    request.groups = fewest - 1;
    assert_int_equal(allocate(), E_LIMIT);
    assert_int_equal(conflict.groups, fewest - 1);
    check_conflict();
    request.groups = PMU_GROUPS_MAX;
}

// ---- tests -------------------------------------------------------------------------------------

static void compare_all_of(u32 items)
{
    u32 kinds = 14; // seven masks of three counters, in the set or in every group
    u32 requests = 1;
    for (u32 i = 0; i < items; i++)
        requests *= kinds;
    for (u32 number = 0; number < requests; number++) {
        request.items = 0;
        u32 rest = number;
        for (u32 i = 0; i < items; i++) {
            u32 kind = rest % kinds;
            ask(i, BOTH, kind < 7 ? 0 : PMU_EVERY_GROUP, kind % 7 + 1);
            rest /= kinds;
        }
        compare();
    }
}

static void every_request_of_four_items_for_three_counters_is_answered_best(void **state)
{
    (void)state;
    for (u32 items = 1; items <= 4; items++)
        compare_all_of(items);
}

static void requests_of_seven_items_drawn_by_lot_are_answered_best(void **state)
{
    (void)state;
    for (u32 round = 0; round < 1500; round++) {
        u32 counters = 2 + (u32)draw(4);
        request.items = 0;
        for (u32 i = 0; i < 7; i++) {
            u32 mask = 1u << draw(counters) | 1u << draw(counters);
            ask(i, BOTH, draw(8) == 0 ? PMU_EVERY_GROUP : 0, mask);
        }
        compare();
    }
}

// Hall: k groups are enough if no subset S of the items, with the items A that are in every group,
// needs more than the counters that any of them can use: |S| <= k (|N(S + A)| - |A|).
static u32 fewest_by_counting(void)
{
    u64 always = 0;
    u32 fewest = 1;
    for (u32 i = 0; i < request.items; i++)
        always |= every_group(i) ? 1UL << i : 0;
    for (u64 items = 1; items <= all_items(); items++) {
        u32 counters = 0;
        for (u64 rest = items; rest != 0; rest &= rest - 1)
            counters |= request.item[__builtin_ctzl(rest)].counters;
        s32 room = __builtin_popcount(counters) - __builtin_popcountl(items & always);
        s32 need = __builtin_popcountl(items & ~always);
        if (room < 0 || (room == 0 && need > 0))
            return 0;
        if (need > 0 && (u32)((need + room - 1) / room) > fewest)
            fewest = (u32)((need + room - 1) / room);
    }
    return fewest;
}

static void large_requests_get_as_few_groups_as_counting_allows(void **state)
{
    (void)state;
    u32 possible = 0;
    for (u32 round = 0; round < 400; round++) {
        request.items = 0;
        for (u32 i = 0; i < 13; i++) {
            u32 mask = 1u << draw(8) | 1u << draw(8) | 1u << draw(8);
            ask(i, BOTH, i < 2 ? PMU_EVERY_GROUP : 0, round % 2 == 0 ? mask : mask & 0x1f);
            if (request.item[i].counters == 0)
                request.item[i].counters = 1;
        }
        u32 fewest = fewest_by_counting();
        assert_int_equal(allocate(), fewest == 0 ? E_BUSY : 0);
        if (fewest == 0)
            continue;
        possible++;
        assert_int_equal(allocation.groups, fewest);
        check_allocation();
    }
    assert_true(possible > 100);
}

static void the_largest_request_is_answered(void **state)
{
    (void)state;
    for (u32 i = 0; i < PMU_ITEMS_MAX; i++)
        ask(i % MODEL_EVENTS, BOTH, 0, 0x0f << i % 5);
    assert_int_equal(allocate(), 0);
    assert_int_equal(allocation.groups, PMU_ITEMS_MAX / 8);
    check_allocation();
    for (u32 i = 0; i < PMU_ITEMS_MAX; i++)
        request.item[i].counters = 1;
    assert_int_equal(allocate(), E_LIMIT);
    assert_int_equal(__builtin_popcountl(conflict.items), PMU_GROUPS_MAX + 1);
    request.items = PMU_GROUPS_MAX;
    assert_int_equal(allocate(), 0);
    assert_int_equal(allocation.groups, PMU_GROUPS_MAX);
}

static void the_same_request_gives_the_same_groups(void **state)
{
    (void)state;
    for (u32 i = 0; i < 20; i++)
        ask(i % MODEL_EVENTS, BOTH, 0, 1u << draw(8) | 1u << draw(8));
    assert_int_equal(allocate(), 0);
    struct pmu_allocation first = allocation;
    assert_int_equal(allocate(), 0);
    assert_int_equal(first.groups, allocation.groups);
    assert_memory_equal(first.group, allocation.group, first.groups * sizeof(first.group[0]));
}

// So many items, of which each can use seven counters: some in as many groups as any other,
// or in one more.
static void check_left_over(u32 items)
{
    request.items = 0;
    u32 slices = ask(MODEL_CYCLES, BOTH, PMU_EVERY_GROUP, 0x01);
    for (u32 i = 0; i < items; i++)
        ask(MODEL_LOADS, BOTH, 0, 0xfe);
    assert_int_equal(allocate(), 0);
    assert_int_equal(allocation.groups, (items + 6) / 7);
    u32 places = 7 * allocation.groups;
    u32 more = 0;
    for (u32 i = 1; i < request.items; i++) {
        u32 copies = 0;
        for (u32 g = 0; g < allocation.groups; g++)
            copies += members(&allocation.group[g]) >> i & 1;
        assert_in_range(copies, places / items, places / items + 1);
        more += copies > places / items;
    }
    assert_int_equal(more, places % items);
    for (u32 g = 0; g < allocation.groups; g++)
        assert_int_equal(allocation.group[g].item[0], slices);
}

static void left_over_counters_are_shared_out_evenly(void **state)
{
    (void)state;
    check_left_over(9);
    check_left_over(15);
    check_left_over(29);
}

static void no_item_takes_a_place_that_another_has_had_less_of(void **state)
{
    (void)state;
    for (u32 i = 0; i < 4; i++) // four groups
        ask(MODEL_LOADS, BOTH, 0, 0x01);
    u32 few = ask(MODEL_LARX, MODEL_USER, 0, 0x02);
    ask(MODEL_LARX, MODEL_KERNEL, 0, 0x02);
    assert_int_equal(allocate(), 0);
    assert_int_equal(allocation.groups, 4);
    u32 copies = 0;
    for (u32 g = 0; g < 4; g++)
        copies += allocation.group[g].item[1] == few;
    assert_int_equal(copies, 2);
}

static void sets_take_turns_by_their_shares_and_are_not_mixed(void **state)
{
    (void)state;
    ask(MODEL_CYCLES, BOTH, PMU_EVERY_GROUP, 0x01);
    ask(MODEL_DTLB_MISS, BOTH, 0, 0x02);
    ask(MODEL_ITLB_MISS, BOTH, 0, 0x04);
    for (u32 i = 0; i < 3; i++) // three groups
        ask(MODEL_MISPREDICTED, BOTH, 1, 0x02);
    request.sets = 3; // and one of what is in every group
    request.share[0] = 30;
    request.share[1] = 60;
    request.share[2] = 10;
    assert_int_equal(allocate(), 0);
    assert_int_equal(allocation.groups, 5);
    check_allocation();
    static const u32 percent[] = {30, 20, 20, 20, 10};
    static const u32 set[] = {0, 1, 1, 1, 2};
    for (u32 g = 0; g < 5; g++) {
        s64 exact = (s64)PMU_WHOLE_TIME * percent[g] / 100;
        assert_int_equal(allocation.group[g].set, set[g]);
        assert_in_range(allocation.group[g].share, exact - 1, exact + 1);
    }
    assert_int_equal(members(&allocation.group[4]), 1);
}

static void shares_of_any_size_add_up(void **state)
{
    (void)state;
    for (u32 round = 0; round < 2000; round++) {
        request.items = 0;
        request.sets = 1 + (u32)draw(PMU_SETS_MAX);
        for (u32 set = 0; set < request.sets; set++)
            request.share[set] =
                draw(4) == 0 ? SYS_PMU_SHARE_MAX : 1 + (u32)draw(SYS_PMU_SHARE_MAX);
        for (u32 i = request.sets; i < PMU_GROUPS_MAX; i++)
            ask(MODEL_LOADS, BOTH, (u32)draw(request.sets), 1);
        if (request.items == 0)
            ask(MODEL_LOADS, BOTH, PMU_EVERY_GROUP, 1);
        assert_int_equal(allocate(), 0);
        check_allocation();
        for (u32 g = 0; g < allocation.groups; g++)
            assert_true(allocation.group[g].share > 0);
    }
}

static void a_set_leaves_room_for_those_after_it(void **state)
{
    (void)state;
    for (u32 i = 0; i < 3; i++)
        ask(MODEL_LOADS, BOTH, 0, 1);
    u32 last = ask(MODEL_LOADS, BOTH, 1, 1);
    request.sets = 2;
    request.share[1] = 1;
    request.groups = 3;
    assert_int_equal(allocate(), E_LIMIT);
    assert_int_equal(conflict.items, 7);
    assert_int_equal(conflict.groups, 2);
    request.groups = 4;
    assert_int_equal(allocate(), 0);
    assert_int_equal(members(&allocation.group[3]), 1UL << last);
}

// ---- machines ----------------------------------------------------------------------------------

static void ask_all_of(const struct machine *machine)
{
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        ask(event, BOTH, event == MODEL_CYCLES ? PMU_EVERY_GROUP : 0,
            (u32)machine->counters[event]);
    ask(PMU_RUN_CYCLES, BOTH, PMU_EVERY_GROUP, 1u << PMU_DRIVER_COUNTER);
}

static void all_events_of_a_machine_fit_into_as_few_groups_as_counting_allows(void **state)
{
    (void)state;
    static const char *const files[] = {"pmu/model/machines/970fx.conf",
                                        "pmu/model/machines/power9.conf"};
    for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
        struct machine machine;
        char error[200];
        set_up(NULL);
        if (!machine_load(files[i], &machine, error, sizeof(error)))
            fail_msg("%s", error);
        ask_all_of(&machine);
        assert_int_equal(allocate(), 0);
        assert_int_equal(allocation.groups, fewest_by_counting());
        check_allocation();
        print_message("%s: all events in %u groups\n", machine.name, allocation.groups);
    }
}

// ---- words -------------------------------------------------------------------------------------

static void expect_words(const char *expected)
{
    char text[200];
    pmu_conflict_text(&request, &conflict, text, sizeof(text));
    assert_string_equal(text, expected);
    for (u64 bytes = 1; bytes <= strlen(expected); bytes++) {
        memset(text, 'x', sizeof(text));
        pmu_conflict_text(&request, &conflict, text, bytes);
        assert_int_equal(strlen(text), bytes - 1);
        assert_memory_equal(text, expected, bytes - 1);
        assert_int_equal(text[bytes], 'x');
    }
}

static void a_conflict_names_its_events_and_counters(void **state)
{
    (void)state;
    ask(MODEL_CYCLES, BOTH, PMU_EVERY_GROUP, 0x07);
    ask(MODEL_LARX, MODEL_USER, 0, 0x08);
    ask(MODEL_STCX, BOTH, 0, 0x44);
    ask(MODEL_LARX, MODEL_KERNEL | MODEL_TAGGED, 0, 0x08);
    request.groups = 1;
    assert_int_equal(allocate(), E_LIMIT);
    expect_words("larx:u, larx:k: 2 events, only counter 3");
    ask(MODEL_LARX, BOTH, 0, 0x08);
    request.groups = 2;
    assert_int_equal(allocate(), E_LIMIT);
    expect_words("larx:u, larx:k, larx: 3 events, only counter 3 in 2 groups");
}

static void events_in_every_group_are_named_where_they_are_in_the_way(void **state)
{
    (void)state;
    ask(MODEL_STCX, BOTH, 0, 0x10);
    ask(MODEL_CYCLES, BOTH, PMU_EVERY_GROUP, 0x03);
    ask(MODEL_INSTRUCTIONS, BOTH, PMU_EVERY_GROUP, 0x03);
    ask(MODEL_LARX, BOTH, 0, 0x02);
    assert_int_equal(allocate(), E_BUSY);
    expect_words("cycles, instructions, larx: 3 events, only counters 0 1");
}

static void events_that_no_counter_counts_are_all_named(void **state)
{
    (void)state;
    ask(MODEL_LARX, BOTH, 0, 0);
    ask(MODEL_STCX, BOTH, 0, 0x10);
    ask(MODEL_L2_MISS, MODEL_USER, PMU_EVERY_GROUP, 0);
    assert_int_equal(allocate(), E_NOTSUP);
    assert_int_equal(conflict.items, 5);
    expect_words("larx, l2-miss:u: cannot be counted");
}

static void the_driver_s_cycles_are_not_told_by_mode(void **state)
{
    (void)state;
    ask(PMU_RUN_CYCLES, MODEL_USER, 0, 1u << PMU_DRIVER_COUNTER);
    assert_int_equal(allocate(), E_NOTSUP);
    assert_int_equal(conflict.items, 1);
    expect_words("run-cycles:u: cannot be counted");
}

// ---- bad requests ------------------------------------------------------------------------------

static void expect_invalid(void)
{
    assert_int_equal(allocate(), E_INVAL);
    assert_int_equal(conflict.items, 0);
    set_up(NULL);
    ask(MODEL_LARX, BOTH, 0, 1);
    assert_int_equal(allocate(), 0);
}

static void numbers_out_of_their_range_are_refused(void **state)
{
    (void)state;
    expect_invalid(); // no item
    request.items = PMU_ITEMS_MAX + 1;
    expect_invalid();
    request.sets = 0;
    expect_invalid();
    request.sets = PMU_SETS_MAX + 1;
    request.groups = PMU_SETS_MAX + 1;
    expect_invalid();
    request.groups = 0;
    expect_invalid();
    request.groups = PMU_GROUPS_MAX + 1;
    expect_invalid();
    request.share[0] = 0;
    expect_invalid();
    request.share[0] = SYS_PMU_SHARE_MAX + 1;
    expect_invalid();
    request.item[0].event = PMU_EVENTS;
    expect_invalid();
    request.item[0].set = 1;
    expect_invalid();
    request.item[0].filter = 0;
    expect_invalid();
    request.item[0].filter = MODEL_TAGGED;
    expect_invalid();
    request.item[0].filter = BOTH | MODEL_INTERRUPT;
    expect_invalid();
    request.item[0].counters = 1u << PMU_COUNTERS;
    expect_invalid();
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_request_of_four_items_for_three_counters_is_answered_best),
        TEST(requests_of_seven_items_drawn_by_lot_are_answered_best),
        TEST(large_requests_get_as_few_groups_as_counting_allows),
        TEST(the_largest_request_is_answered),
        TEST(the_same_request_gives_the_same_groups),
        TEST(left_over_counters_are_shared_out_evenly),
        TEST(no_item_takes_a_place_that_another_has_had_less_of),
        TEST(sets_take_turns_by_their_shares_and_are_not_mixed),
        TEST(shares_of_any_size_add_up),
        TEST(a_set_leaves_room_for_those_after_it),
        TEST(all_events_of_a_machine_fit_into_as_few_groups_as_counting_allows),
        TEST(a_conflict_names_its_events_and_counters),
        TEST(events_in_every_group_are_named_where_they_are_in_the_way),
        TEST(events_that_no_counter_counts_are_all_named),
        TEST(the_driver_s_cycles_are_not_told_by_mode),
        TEST(numbers_out_of_their_range_are_refused),
    };
    return cmocka_run_group_tests_name("pmu_allocate", tests, NULL, NULL);
}
