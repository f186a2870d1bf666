// SPDX-License-Identifier: MIT
// Turns of groups: shares of the time, and an order that nothing else keeps step with.
#include <orrery/pmu.h>
#include <pmu/rotate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define SLICE 100000UL

static struct pmu_allocation allocation;
static struct pmu_rotation rotation;
static u64 ran[PMU_GROUPS_MAX];
static u64 total;

static void begin(const u32 *shares, u32 groups, u64 slice, u64 seed)
{
    u64 sum = 0;
    u32 given = 0;
    for (u32 g = 0; g < groups; g++)
        sum += shares[g];
    memset(&allocation, 0, sizeof(allocation));
    memset(ran, 0, sizeof(ran));
    total = 0;
    allocation.groups = groups;
    for (u32 g = 0; g < groups; g++) {
        allocation.group[g].share = (u32)(shares[g] * (u64)PMU_WHOLE_TIME / sum);
        given += allocation.group[g].share;
    }
    allocation.group[0].share += PMU_WHOLE_TIME - given;
    pmu_rotation_begin(&rotation, &allocation, slice, seed);
}

static u32 run(u64 time)
{
    u32 group = pmu_rotation_next(&rotation);
    assert_true(group < allocation.groups);
    assert_int_equal(pmu_rotation_next(&rotation), group); // asking changes nothing
    pmu_rotation_ran(&rotation, group, time);
    ran[group] += time;
    total += time;
    return group;
}

static double owed(u32 group)
{
    return (double)total * allocation.group[group].share / PMU_WHOLE_TIME;
}

static const u32 vectors[][PMU_GROUPS_MAX] = {
    {1},
    {1, 1},
    {1, 1, 1},
    {30, 70},
    {97, 1, 1, 1},
    {1, 2, 3, 4, 5, 6, 7, 8},
    {1000, 1, 500, 30, 2},
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1000},
};

static u32 groups_of(const u32 *shares)
{
    u32 groups = 0;
    while (groups < PMU_GROUPS_MAX && shares[groups] != 0)
        groups++;
    return groups;
}

// length: of slice i.
static void check_shares(u64 (*length)(u64 i))
{
    for (u32 v = 0; v < ARRAY_SIZE(vectors); v++) {
        u32 groups = groups_of(vectors[v]);
        begin(vectors[v], groups, SLICE, v);
        for (u64 i = 0; i < 20000; i++) {
            run(length(i));
            // At no time is a group more than a few slices away from what it is owed.
            for (u32 g = 0; g < groups; g++) {
                double away = (double)ran[g] - owed(g);
                double bound = (2.0 + groups) * SLICE * 1.5;
                assert_true(away < bound && away > -bound);
            }
        }
        for (u32 g = 0; g < groups; g++) {
            double error = ((double)ran[g] - owed(g)) / (double)total;
            assert_true(error < 0.001 && error > -0.001);
            if (owed(g) > 200 * SLICE)
                assert_true(error * (double)total < 0.02 * owed(g) &&
                            -error * (double)total < 0.02 * owed(g));
        }
    }
}

static u64 always_the_same(u64 i)
{
    (void)i;
    return SLICE;
}

static u64 late_by_up_to_a_half(u64 i)
{
    return SLICE + (i * 2654435761u % 1000) * SLICE / 2000;
}

static u64 early_or_late(u64 i)
{
    return i * 40503 % 7 < 3 ? SLICE / 2 : SLICE + SLICE / 4;
}

static void groups_get_their_shares_of_the_time(void **state)
{
    (void)state;
    check_shares(always_the_same);
}

static void slices_of_other_lengths_are_made_up_for(void **state)
{
    (void)state;
    check_shares(late_by_up_to_a_half);
    check_shares(early_or_late);
}

static void shares_hold_at_the_limits_of_slices(void **state)
{
    (void)state;
    static const u32 shares[] = {1, 2, 5, 1000};
    static const u64 slices[] = {SYS_PMU_SLICE_MIN, SYS_PMU_SLICE_MAX};
    for (u32 i = 0; i < ARRAY_SIZE(slices); i++) {
        begin(shares, ARRAY_SIZE(shares), slices[i], 0);
        for (u64 turn = 0; turn < 1000000; turn++)
            run(slices[i]);
        for (u32 g = 0; g < ARRAY_SIZE(shares); g++)
            assert_true((double)ran[g] > 0.98 * owed(g) && (double)ran[g] < 1.02 * owed(g));
    }
}

// Of two equal groups one comes first in about half of all rounds, and neither in long runs.
static void check_equal_groups(u64 seed)
{
    static const u32 shares[] = {1, 1};
    u32 even[2] = {0};
    u32 repeated = 0;
    u32 last = 2;
    begin(shares, 2, SLICE, seed);
    for (u32 i = 0; i < 20000; i++) {
        u32 group = run(SLICE);
        if (i % 2 == 0)
            even[group]++;
        repeated += group == last;
        last = group;
    }
    assert_in_range(even[0], 4700, 5300);
    assert_in_range(repeated, 4500, 5500);
}

static void equal_groups_do_not_keep_an_order(void **state)
{
    (void)state;
    check_equal_groups(0);
    check_equal_groups(7);
    check_equal_groups(~0UL); // which the generator must not be left with
}

// A group with a tenth of the time comes at any place of ten, the middle ones a little more often.
static void a_small_share_comes_at_any_time(void **state)
{
    (void)state;
    static const u32 shares[] = {90, 10};
    u32 at[10] = {0};
    begin(shares, 2, SLICE, 3);
    for (u32 i = 0; i < 200000; i++)
        at[i % 10] += run(SLICE) == 1;
    for (u32 i = 0; i < 10; i++)
        assert_in_range(at[i], 600, 2600);
}

static void the_same_seed_gives_the_same_order_and_others_another(void **state)
{
    (void)state;
    static const u32 shares[] = {3, 2, 2};
    u32 order[3][200];
    u32 different = 0;
    for (u32 i = 0; i < 3; i++) {
        begin(shares, 3, SLICE, i / 2);
        for (u32 turn = 0; turn < 200; turn++)
            order[i][turn] = run(SLICE);
    }
    for (u32 turn = 0; turn < 200; turn++) {
        assert_int_equal(order[0][turn], order[1][turn]);
        different += order[1][turn] != order[2][turn];
    }
    assert_true(different > 50);
}

static void a_very_long_slice_does_not_silence_its_group(void **state)
{
    (void)state;
    static const u32 shares[] = {1, 1};
    begin(shares, 2, SLICE, 0);
    for (u64 length = 100; length < 1UL << 30; length *= 7) {
        u32 group = run(length * SLICE);
        u32 turns = 0;
        while (run(SLICE) != group)
            assert_true(++turns < 50); // 32, and what the order by lot adds
    }
}

static void slices_without_time_let_the_others_come(void **state)
{
    (void)state;
    static const u32 shares[] = {1, 1, 1};
    begin(shares, 3, SYS_PMU_SLICE_MIN, 0);
    for (u32 i = 0; i < 10000; i++)
        pmu_rotation_ran(&rotation, pmu_rotation_next(&rotation),
                         i % 3 == 0 ? SYS_PMU_SLICE_MIN : 0);
    u32 seen = 0;
    for (u32 i = 0; i < 5000; i++) {
        u32 group = pmu_rotation_next(&rotation);
        seen |= 1u << group;
        pmu_rotation_ran(&rotation, group, 0);
    }
    assert_int_equal(seen, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_get_their_shares_of_the_time),
        cmocka_unit_test(slices_of_other_lengths_are_made_up_for),
        cmocka_unit_test(shares_hold_at_the_limits_of_slices),
        cmocka_unit_test(equal_groups_do_not_keep_an_order),
        cmocka_unit_test(a_small_share_comes_at_any_time),
        cmocka_unit_test(the_same_seed_gives_the_same_order_and_others_another),
        cmocka_unit_test(a_very_long_slice_does_not_silence_its_group),
        cmocka_unit_test(slices_without_time_let_the_others_come),
    };
    return cmocka_run_group_tests_name("pmu_rotate", tests, NULL, NULL);
}
