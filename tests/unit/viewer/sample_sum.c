// SPDX-License-Identifier: MIT
// How many events samples stand for: by hand, and by programs that are sampled in turns, whose true
// counts are known.
#include "unit.h"

#include "samples/samples.h"

#include <math.h>
#include <string.h>

static struct sample sample_of(u32 cpu, u32 turn, u64 weight)
{
    return (struct sample){.cpu = cpu, .flags = turn << 8 | SYS_SAMPLE_KERNEL, .weight = weight};
}

static void add(struct sample_sum *sum, u32 cpu, u32 turn, u64 weight)
{
    const struct sample sample = sample_of(cpu, turn, weight);
    sample_sum_add(sum, &sample);
}

static void what_is_sampled_all_the_time_is_not_scaled(void **state)
{
    const struct sample_share shares[] = {{0}, {1000, 1000, 5}, {0, 1000, 0}};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
        struct sample_sum sum = {0};
        add(&sum, 0, 0, 300);
        add(&sum, 1, 0, 400);
        sample_sum_scale(&sum, &shares[i]);
        assert_int_equal(sum.samples, 2);
        assert_int_equal(sum.events, 700);
        assert_true(samples_error(sum.square) == 2.576 * 500);
    }
}

// Ten turns of twenty: three with samples, of 100, 100 + 100 and 100 on another CPU.
static void turns_that_differ_make_the_error_larger(void **state)
{
    const struct sample_share share = {.measured = 500, .total = 1000, .turns = 10};
    struct sample_sum sum = {0}, alike = {0}, joined = {0};
    (void)state;
    add(&sum, 0, 1, 100);
    add(&sum, 1, 1, 100);
    add(&sum, 0, 2, 100);
    add(&sum, 0, 2, 100);
    sample_sum_join(&joined, &sum);
    sample_sum_scale(&sum, &share);
    sample_sum_scale(&joined, &share);
    assert_int_equal(sum.events, 800);
    double spread = (1 + 1 + 4 - 16 / 10.0) * 10 / 9;
    assert_true(fabs(sum.square - 1e4 * 4 * (4 + spread)) < 1e-3);
    assert_true(fabs(joined.square - sum.square) < 1e-3 && joined.events == sum.events);
    // As many in each turn: nothing but the chance of samples is left.
    for (u32 turn = 1; turn <= 10; turn++)
        add(&alike, 0, turn, 100);
    sample_sum_scale(&alike, &share);
    assert_true(fabs(alike.square - 1e4 * 4 * 10) < 1e-3);
}

// One turn tells nothing of others, but what little was left out can have had as little.
static void one_turn_of_nearly_all_the_time_is_nearly_sure(void **state)
{
    const struct sample_share half = {500, 1000, 1}, most = {999, 1000, 1};
    struct sample_sum sum = {0}, unsure = {0};
    (void)state;
    for (u32 i = 0; i < 100; i++) {
        add(&sum, 0, 1, 10);
        add(&unsure, 0, 1, 10);
    }
    sample_sum_scale(&sum, &most);
    sample_sum_scale(&unsure, &half);
    assert_true(samples_error(sum.square) < 0.3 * 1000); // by chance alone 0.26
    assert_true(samples_error(unsure.square) > 2.5 * 2000);
}

static void shares_of_cpus_add_up(void **state)
{
    struct sample_set set = {0};
    (void)state;
    samples_stream(&set, 0, 3)->share = (struct sample_share){10, 40, 1};
    samples_stream(&set, 1, 3)->share = (struct sample_share){40, 60, 2};
    struct sample_share share = samples_share(&set, 3);
    assert_true(sample_share_part(&share) == 0.5);
    assert_int_equal(share.turns, 3);
    share = samples_share(&set, 2);
    assert_true(sample_share_part(&share) == 1);
    samples_free(&set);
}

// ---- programs ----------------------------------------------------------------------------------

#define ROUNDS 300
#define PERIOD 1000
#define TRIALS 400

static u64 random_state = 88172645463325252u;

static u64 draw(u64 below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) % below;
}

// Events of an object in each turn of a program.
static u64 steady(u32 turn)
{
    (void)turn;
    return 5300;
}

static u64 in_phases(u32 turn)
{
    return turn % 7 < 2 ? 20000 : 0;
}

static u64 rising(u32 turn)
{
    return 10 * turn;
}

static u64 by_chance(u32 turn)
{
    (void)turn;
    return draw(10) == 0 ? draw(50000) : 700;
}

// Samples of one turn, which begins at any place of a period.
static void sample_turn(struct sample_sum *sum, u32 number, u64 events)
{
    for (u64 first = 1 + draw(PERIOD); first <= events; first += PERIOD)
        add(sum, 0, number, PERIOD);
}

// Of each round's turns one is the event's, by lot.
static bool within_its_error(u64 events_in(u32), u32 groups)
{
    struct sample_sum sum = {0};
    u64 truth = 0;
    for (u32 round = 0; round < ROUNDS; round++) {
        u32 own = (u32)draw(groups);
        for (u32 turn = 0; turn < groups; turn++) {
            u64 events = events_in(round * groups + turn);
            truth += events;
            if (turn == own)
                sample_turn(&sum, round, events);
        }
    }
    const struct sample_share share = {ROUNDS, (u64)ROUNDS * groups, ROUNDS};
    sample_sum_scale(&sum, &share);
    return fabs((double)sum.events - (double)truth) <= samples_error(sum.square);
}

static void errors_hold_in_99_of_100_cases(void **state)
{
    u64 (*const programs[])(u32) = {steady, in_phases, rising, by_chance};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
        for (u32 groups = 2; groups <= 5; groups++) {
            u32 right = 0;
            for (u32 trial = 0; trial < TRIALS; trial++)
                right += within_its_error(programs[i], groups);
            assert_true(right >= TRIALS * 98 / 100);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sampled_all_the_time_is_not_scaled),
        cmocka_unit_test(turns_that_differ_make_the_error_larger),
        cmocka_unit_test(one_turn_of_nearly_all_the_time_is_nearly_sure),
        cmocka_unit_test(shares_of_cpus_add_up),
        cmocka_unit_test(errors_hold_in_99_of_100_cases),
    };
    return cmocka_run_group_tests_name("kov_sample_sum", tests, NULL, NULL);
}
