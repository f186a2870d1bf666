// SPDX-License-Identifier: MIT
// Tracks, against all values that were ever added.
#include "unit.h"

#include "gateway/track.h"

#include <math.h>

#define NODES 64
#define VALUES 400000

static struct track track;
static double times[VALUES];
static float numbers[VALUES];
static size_t count;
static u64 random_state = 7;

static double draw(double below)
{
    return below * (double)(unit_random(&random_state) >> 11) / 0x1p53;
}

static int begin(void **state)
{
    (void)state;
    count = 0;
    track_begin(&track, NODES);
    return 0;
}

static int end(void **state)
{
    (void)state;
    track_free(&track);
    return 0;
}

static void add(size_t values)
{
    double time = count == 0 ? 0 : times[count - 1];
    for (size_t i = 0; i < values; i++) {
        time += 0.5 + draw(1);
        times[count] = time;
        numbers[count] = draw(8) < 1 ? NAN : (float)draw(1000);
        assert_true(track_add(&track, time, numbers[count], 1, 0.5));
        count++;
    }
}

// What a node says of the values from its first to its last.
static void check_node(const struct track_node *node)
{
    float min = NAN, max = NAN, last = NAN;
    size_t first = 0, index;
    while (times[first] < node->from)
        first++;
    assert_true(times[first] == node->from);
    for (index = first; index < count && times[index] <= node->to; index++) {
        min = fminf(min, numbers[index]);
        max = fmaxf(max, numbers[index]);
        last = isnan(numbers[index]) ? last : numbers[index];
    }
    assert_true(times[index - 1] == node->to);
    assert_true(node->min == min || (isnan(min) && isnan(node->min)));
    assert_true(node->max == max || (isnan(max) && isnan(node->max)));
    assert_true(node->last == last || (isnan(last) && isnan(node->last)));
}

// Nodes in [from, to) have every value there, once.
static void check_range(double from, double to, size_t room)
{
    struct track_node nodes[256];
    size_t got = track_range(&track, from, to, nodes, room), inside = 0, value = 0;
    assert_true(got <= room);
    for (size_t i = 0; i < got; i++)
        check_node(&nodes[i]);
    for (size_t i = 0; i + 1 < got; i++) {
        while (times[value] <= nodes[i].to)
            value++;
        assert_true(nodes[i + 1].from == times[value]);
    }
    for (size_t i = 0; i < count; i++)
        inside += times[i] >= from && times[i] < to;
    assert_true(inside == 0 || got > 0);
    if (inside == 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (times[i] >= from && times[i] < to)
            assert_true(nodes[0].from <= times[i] && times[i] <= nodes[got - 1].to);
    if (inside <= room && from >= times[count > NODES ? count - NODES : 0])
        assert_int_equal(got, inside); // as fine as they came
}

static void ranges_are_what_all_values_say(void **state)
{
    static const size_t rooms[] = {1, 7, 64, 200};
    (void)state;
    for (u32 step = 0; step < 40; step++) {
        add(1 + (size_t)draw(300));
        for (u32 i = 0; i < 20; i++) {
            double from = draw(times[count - 1]), to = from + draw(times[count - 1] - from + 10);
            check_range(from, to, rooms[i % ARRAY_SIZE(rooms)]);
        }
        check_range(times[count - 1] - 20, times[count - 1] + 1, 64);
        check_range(0, times[count - 1] + 1, 64);
    }
}

static void old_times_become_coarse_and_then_are_forgotten(void **state)
{
    struct track_node nodes[NODES];
    (void)state;
    add(VALUES);
    size_t got = track_range(&track, 0, times[count - 1] + 1, nodes, NODES);
    assert_true(got > NODES / 2);
    assert_true(nodes[0].from > 0);
    check_node(&nodes[0]);
    assert_true(nodes[got - 1].to == times[count - 1]);
    got = track_range(&track, times[count - 300], times[count - 1], nodes, NODES);
    assert_in_range(got, 300 / TRACK_FAN, 300 / TRACK_FAN + 2);
}

static void bad_times_are_refused(void **state)
{
    struct track_node node;
    (void)state;
    assert_int_equal(track_range(&track, 0, 1, &node, 1), 0);
    assert_true(track_add(&track, 10, 1, 0, 1));
    assert_false(track_add(&track, 10, 2, 0, 1));
    assert_false(track_add(&track, 9, 2, 0, 1));
    assert_false(track_add(&track, NAN, 2, 0, 1));
    assert_false(track_add(&track, INFINITY, 2, 0, 1));
    assert_int_equal(track.refused, 4);
    assert_int_equal(track_range(&track, 0, 100, &node, 1), 1);
    assert_true(node.last == 1 && node.from == 10);
    assert_int_equal(track_range(&track, 5, 5, &node, 1), 0);
    assert_int_equal(track_range(&track, NAN, 5, &node, 1), 0);
    assert_int_equal(track_range(&track, 11, 12, &node, 1), 0);
    assert_int_equal(track_range(&track, 0, 100, &node, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranges_are_what_all_values_say, begin, end),
        cmocka_unit_test_setup_teardown(old_times_become_coarse_and_then_are_forgotten, begin, end),
        cmocka_unit_test_setup_teardown(bad_times_are_refused, begin, end),
    };
    return cmocka_run_group_tests_name("kov_track", tests, NULL, NULL);
}
