// SPDX-License-Identifier: MIT
// Errors of intervals, worked out from two readings, against those that the machine's own estimates
// have when they begin with the interval, and against what really was.
#include "unit.h"

#include "counts/counts.h"

#include <pmu/multiplex.h>
#include <string.h>

#define GROUPS 5
#define INTERVALS 400

struct sums {
    _Alignas(16) u8 bytes[PMU_MULTIPLEX_BYTES(1)];
};

static struct pmu_multiplex *multiplex(struct sums *sums)
{
    return (struct pmu_multiplex *)sums->bytes;
}

static struct count read_sums(struct sums *sums)
{
    struct pmu_estimate found;
    pmu_multiplex_read(multiplex(sums), 0, &found);
    return (struct count){found.count, found.measured, found.time, found.error,
                          multiplex(sums)->item[0].slices};
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

// Of so many intervals of a program: how many held the truth, and the sums of both errors.
struct verdict {
    u32 held, narrow;
    double ours, machines;
};

static void judge(const struct count *between, const struct count *alone, u64 truth,
                  struct verdict *verdict)
{
    u64 off = between->count > truth ? between->count - truth : truth - between->count;
    assert_true(between->error != COUNT_ERROR_UNKNOWN && alone->error != COUNT_ERROR_UNKNOWN);
    verdict->held += off <= between->error;
    // Never much surer than the machine would be of the interval alone, and has rounded up.
    verdict->narrow += between->error + 8 + alone->error / 20 < alone->error;
    verdict->ours += (double)between->error;
    verdict->machines += (double)alone->error;
}

static void run(u64 spread, u32 rounds, struct verdict *verdict)
{
    static struct sums all, fresh;
    u64 random = 11 + spread;
    struct count last = {0};
    *verdict = (struct verdict){0};
    pmu_multiplex_begin(multiplex(&all), 1);
    for (u32 i = 0; i < INTERVALS; i++) {
        pmu_multiplex_begin(multiplex(&fresh), 1);
        u64 truth = run_rounds(&all, &fresh, rounds, spread, &random);
        struct count now = read_sums(&all), alone = read_sums(&fresh);
        struct count between = count_between(&last, &now);
        judge(&between, &alone, truth, verdict);
        last = now;
    }
}

static void an_interval_is_as_sure_as_the_machine_would_be_of_it_alone(void **state)
{
    static const u64 spreads[] = {0, 1, 8};
    static const u32 rounds[] = {4, 20, 150};
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(spreads); i++)
        for (size_t k = 0; k < ARRAY_SIZE(rounds); k++) {
            struct verdict verdict;
            run(spreads[i], rounds[k], &verdict);
            assert_true(verdict.held >= INTERVALS * 99 / 100);
            assert_int_equal(verdict.narrow, 0);
            assert_true(verdict.ours < 1.5 * verdict.machines + 80.0 * INTERVALS);
        }
}

static void fewer_than_two_slices_say_nothing(void **state)
{
    struct count before = {1000, 100, 300, 40, 9}, after = {1100, 120, 340, 50, 10};
    (void)state;
    assert_int_equal(count_between(&before, &after).error, COUNT_ERROR_UNKNOWN);
    after.slices = 11;
    assert_true(count_between(&before, &after).error != COUNT_ERROR_UNKNOWN);
    after.error = COUNT_ERROR_UNKNOWN;
    assert_int_equal(count_between(&before, &after).error, COUNT_ERROR_UNKNOWN);
}

static void what_was_measured_whole_is_off_by_roundings_at_most(void **state)
{
    struct count before = {1000, 100, 300, 40, 9}, after = {1100, 140, 340, 45, 12};
    (void)state;
    assert_int_equal(count_between(&before, &after).error, 1);
    after.slices = 10; // one is enough
    assert_int_equal(count_between(&before, &after).error, 1);
}

static void nonsense_gives_some_error(void **state)
{
    u64 random = 3;
    (void)state;
    for (u32 i = 0; i < 20000; i++) {
        struct count counts[2];
        for (u32 k = 0; k < 2; k++)
            counts[k] = (struct count){
                unit_random(&random) >> (unit_random(&random) % 64),
                unit_random(&random) >> (unit_random(&random) % 64),
                unit_random(&random) >> (unit_random(&random) % 64),
                unit_random(&random) >> (unit_random(&random) % 64),
                unit_random(&random) >> (unit_random(&random) % 64),
            };
        count_between(&counts[0], &counts[1]); // the sanitizers watch
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_is_as_sure_as_the_machine_would_be_of_it_alone),
        cmocka_unit_test(fewer_than_two_slices_say_nothing),
        cmocka_unit_test(what_was_measured_whole_is_off_by_roundings_at_most),
        cmocka_unit_test(nonsense_gives_some_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
