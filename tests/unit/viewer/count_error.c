// SPDX-License-Identifier: MIT
// Errors of intervals, worked out from two readings, against those that the machine's own estimates
// have when they begin with the interval, and against what really was.
#include "unit.h"

#include "counts/counts.h"

#include <pmu/estimate.h>
#include <string.h>

#define GROUPS 5
#define INTERVALS 1000

struct sums {
    _Alignas(16) u8 bytes[PMU_MULTIPLEX_BYTES(1)];
};

static struct pmu_multiplex *multiplex(struct sums *sums)
{
    return (struct pmu_multiplex *)sums->bytes;
}

// As the machine tells it.
static struct count read_sums(struct sums *sums)
{
    const struct pmu_sums *item = &multiplex(sums)->item[0];
    struct count count = {.measured = item->time,
                          .total = multiplex(sums)->time,
                          .slices = item->slices,
                          .sums = {.time_squares = item->time_squares,
                                   .count_squares = item->count_squares,
                                   .products = item->products,
                                   .counted = item->count}};
    count_scale(&count);
    return count;
}

// The same in integers.
static struct pmu_estimate estimate(struct sums *sums)
{
    struct pmu_estimate found;
    pmu_multiplex_read(multiplex(sums), 0, &found);
    return found;
}

// A program of which `spread` says how uneven it is: the events of a slice.
static u64 events_of(u64 time, u64 spread, u64 *random)
{
    return time / 10 + (spread == 0 ? 0 : unit_random(random) % (time * spread / 10));
}

// Rounds of one slice a group, in an order drawn by lot; our item is in group 0.
// Returns what really happened.
static u64 run_rounds(struct sums *all, struct sums *fresh, u32 rounds, u64 spread, u64 *random)
{
    struct pmu_group counted = {0}, other;
    u64 truth = 0, counts[PMU_COUNTERS] = {0};
    memset(counted.item, PMU_NO_ITEM, sizeof(counted.item));
    other = counted;
    counted.item[3] = 0;
    for (u32 round = 0; round < rounds; round++) {
        u32 turn = (u32)(unit_random(random) % GROUPS);
        for (u32 slice = 0; slice < GROUPS; slice++) {
            u64 time = 10000 + unit_random(random) % 5000;
            const struct pmu_group *group = slice == turn ? &counted : &other;
            counts[3] = events_of(time, spread, random);
            truth += counts[3];
            assert_int_equal(pmu_multiplex_slice(multiplex(all), group, time, counts), 0);
            assert_int_equal(pmu_multiplex_slice(multiplex(fresh), group, time, counts), 0);
        }
    }
    return truth;
}

// Returns whether the truth is within the error of an interval, which is that of a session that
// begins with it, as integers have it: these round up, in two places.
static bool holds(const struct count *between, const struct pmu_estimate *alone, u64 truth)
{
    u64 off = between->count > truth ? between->count - truth : truth - between->count;
    assert_int_equal(between->count, alone->count);
    assert_in_range(between->error, alone->error - 1, alone->error + 1);
    return off <= between->error;
}

// Returns how many intervals of a program hold the truth.
static u32 run(u64 spread, u32 rounds)
{
    static struct sums all, fresh;
    u64 random = 11 + spread;
    u32 held = 0;
    struct count last = {0};
    pmu_multiplex_begin(multiplex(&all), 1);
    for (u32 i = 0; i < INTERVALS; i++) {
        pmu_multiplex_begin(multiplex(&fresh), 1);
        u64 truth = run_rounds(&all, &fresh, rounds, spread, &random);
        struct count now = read_sums(&all), between = count_between(&last, &now);
        struct pmu_estimate alone = estimate(&fresh);
        held += holds(&between, &alone, truth);
        last = now;
    }
    return held;
}

static void an_interval_is_as_sure_as_the_machine_would_be_of_it_alone(void **state)
{
    static const u64 spreads[] = {0, 1, 8};
    static const u32 rounds[] = {4, 20, 150};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(spreads); i++)
        for (size_t k = 0; k < ARRAY_SIZE(rounds); k++) // so few turns promise somewhat less
            assert_true(run(spreads[i], rounds[k]) >= INTERVALS * (rounds[k] < 10 ? 97 : 99) / 100);
}

static void fewer_than_two_slices_say_nothing(void **state)
{
    static struct sums all;
    struct pmu_group group = {0};
    u64 counts[PMU_COUNTERS] = {0}, random = 5;
    (void)state;
    memset(group.item, PMU_NO_ITEM, sizeof(group.item));
    pmu_multiplex_begin(multiplex(&all), 1);
    run_rounds(&all, &all, 5, 8, &random);
    struct count before = read_sums(&all), after;
    for (u32 slices = 1; slices <= 2; slices++) {
        group.item[3] = PMU_NO_ITEM;
        assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 400, counts), 0);
        group.item[3] = 0;
        counts[3] = 70 + slices;
        assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 500, counts), 0);
        after = read_sums(&all);
        assert_int_equal(count_between(&before, &after).error == COUNT_ERROR_UNKNOWN, slices < 2);
    }
}

// A whole interval of a session that is an estimate: its sums are exact all the same.
static void what_was_measured_whole_is_exact(void **state)
{
    static struct sums all;
    struct pmu_group group = {0};
    u64 counts[PMU_COUNTERS] = {[3] = 1234}, random = 5;
    (void)state;
    memset(group.item, PMU_NO_ITEM, sizeof(group.item));
    group.item[3] = 0;
    pmu_multiplex_begin(multiplex(&all), 1);
    run_rounds(&all, &all, 5, 8, &random);
    struct count before = read_sums(&all);
    assert_true(before.error > 0);
    assert_int_equal(pmu_multiplex_slice(multiplex(&all), &group, 500, counts), 0);
    struct count after = read_sums(&all), between = count_between(&before, &after);
    assert_int_equal(between.count, 1234);
    assert_int_equal(between.error, 0);
}

// An older machine, or one that lies.
static void without_sums_an_interval_says_nothing(void **state)
{
    struct count before = {.count = 1000, .measured = 100, .total = 300, .error = 40, .slices = 9};
    struct count after = {.count = 1100, .measured = 120, .total = 340, .error = 50, .slices = 20};
    (void)state;
    assert_int_equal(count_between(&before, &after).error, COUNT_ERROR_UNKNOWN);
    before.sums.time_squares = 2;
    after.sums.time_squares = 1; // has become less
    assert_int_equal(count_between(&before, &after).error, COUNT_ERROR_UNKNOWN);
}

static u64 any(u64 *random)
{
    return unit_random(random) >> (unit_random(random) % 64);
}

static void nonsense_gives_some_error(void **state)
{
    u64 random = 3;
    (void)state;
    for (u32 i = 0; i < 20000; i++) {
        struct count counts[2];
        for (u32 k = 0; k < 2; k++)
            counts[k] = (struct count){
                .count = any(&random),
                .measured = any(&random),
                .total = any(&random),
                .error = any(&random),
                .slices = any(&random),
                .sums = {.time_squares = (count_wide)any(&random) << 64 | any(&random),
                         .count_squares = (count_wide)any(&random) << 64 | any(&random),
                         .products = (count_wide)any(&random) << 64 | any(&random),
                         .counted = any(&random)},
            };
        count_between(&counts[0], &counts[1]); // the sanitizers watch
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_is_as_sure_as_the_machine_would_be_of_it_alone),
        cmocka_unit_test(fewer_than_two_slices_say_nothing),
        cmocka_unit_test(what_was_measured_whole_is_exact),
        cmocka_unit_test(without_sums_an_interval_says_nothing),
        cmocka_unit_test(nonsense_gives_some_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
