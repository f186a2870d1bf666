// SPDX-License-Identifier: MIT
// Two objects with work 2:1 in turns: their samples are 2:1, on every CPU, at fixed and randomised
// periods. A turn takes several periods, and there are many, so that chance does not weigh on one of
// them. Where time is the host's, a turn may take longer than its work, because the host runs something
// else: then the time base says what the samples have to agree with, but for times so long that the unit
// gives up periods. How much the rounds differ among themselves says how well they can be told to agree:
// if it is not well enough, there are more rounds.
#include <guest/bench.h>

#include "../benches.h"
#include "../objects.h"
#include "../sampling.h"

#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <string.h>

#define ROUND_TURNS 3 // between two readings of the buffer
#define ROUNDS_EXACT 240
#define PERIOD_EXACT 100003
#define ROUNDS_WALL 40
#define PERIOD_WALL 1000003 // long against the emulator's lateness
#define TURN_SAMPLES 5      // of the object with less work
#define PERIOD_PIECES 4     // of a turn, between two readings of the time base
#define CATCH_UP_PERIODS 4  // that the unit makes up for (docs/pmu.md)
#define TOLERANCE 10        // per mille, where a cycle is an instruction
#define TOLERANCE_WALL 50   // where it is a nanosecond of the host, which does other things too,
#define STANDARD_ERRORS 4   // or so many, if that still is more after
#define PATIENCE_SECONDS 15

struct pair {
    coid_t coids[2]; // work 2 and 1
    u64 iterations;  // of work 1
    u32 rounds, period;
    s64 session;
};

// The objects' time and samples, and sums over the rounds of the products of their samples.
struct account {
    u64 nanoseconds[2];
    u64 samples[2];
    u64 squares[2], products;
    u64 wrong;
};

static struct account accounts[ORRERY_MAX_CPUS];
static struct sample_counts counts[ORRERY_MAX_CPUS];

static void turn(const struct pair *pair, u32 object, u32 work)
{
    u64 iterations = pair->iterations / (TURN_SAMPLES * PERIOD_PIECES);
    u64 most = (u64)pair->period * (CATCH_UP_PERIODS + 1);
    for (u32 i = 0; i < work * TURN_SAMPLES * PERIOD_PIECES; i++) {
        u64 begin = timebase();
        CO_CALL(struct test_object, pair->coids[object], spin_nested, iterations);
        u64 taken = bench_ticks_to_ns(timebase() - begin);
        accounts[cpu_id()].nanoseconds[object] += taken < most ? taken : most;
    }
}

static void work(struct bench_worker *worker)
{
    const struct pair *pair = worker->argument;
    struct sample_counts *mine = &counts[worker->cpu];
    struct account *account = &accounts[worker->cpu];
    sample_counts_begin(pair->session, worker->cpu, mine);
    for (u32 i = 0; i < pair->rounds; i++) {
        u64 a = mine->own[0], b = mine->own[1];
        for (u32 j = 0; j < ROUND_TURNS; j++) {
            turn(pair, 0, 2);
            turn(pair, 1, 1);
        }
        sample_counts_add(pair->session, worker->cpu, pair->coids, mine);
        a = mine->own[0] - a;
        b = mine->own[1] - b;
        account->samples[0] += a;
        account->samples[1] += b;
        account->squares[0] += a * a;
        account->squares[1] += b * b;
        account->products += a * b;
    }
    account->wrong += mine->other + mine->malformed;
}

static struct account sum_of_cpus(void)
{
    struct account all = {0};
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct account *one = &accounts[cpu];
        for (u32 object = 0; object < 2; object++) {
            all.nanoseconds[object] += one->nanoseconds[object];
            all.samples[object] += one->samples[object];
            all.squares[object] += one->squares[object];
        }
        all.products += one->products;
        all.wrong += one->wrong;
    }
    return all;
}

static u64 expected_of(const struct account *all)
{
    return bench_time_is_exact() ? 2000 : all->nanoseconds[0] * 1000 / all->nanoseconds[1];
}

static u64 tolerance_of(u64 ratio)
{
    return ratio * (bench_time_is_exact() ? TOLERANCE : TOLERANCE_WALL) / 1000;
}

// What the ratio may be off by chance, both in thousandths. A round's a and b are off by 1000 a - ratio b,
// and the sum of all by the root of the sum of their squares.
static u64 scatter(u64 ratio, const struct account *all)
{
    u64 b = all->samples[1], margin = 0;
    u64 squares =
        1000000 * all->squares[0] + ratio * ratio * all->squares[1] - 2000 * ratio * all->products;
    while (b != 0 && margin * b * margin * b < STANDARD_ERRORS * STANDARD_ERRORS * squares)
        margin++;
    return margin;
}

static bool can_be_told(void)
{
    const struct account all = sum_of_cpus();
    u64 expected = expected_of(&all);
    return bench_time_is_exact() || scatter(expected, &all) <= tolerance_of(expected);
}

static void check(void)
{
    const struct account all = sum_of_cpus();
    u64 a = all.samples[0], b = all.samples[1];
    u64 expected = expected_of(&all), margin = tolerance_of(expected);
    if (!can_be_told())
        margin = scatter(expected, &all);
    bench_range(expected - margin, expected + margin, b == 0 ? 0 : a * 1000 / b,
                "ratio x 1000 of %llu to %llu samples, %u CPUs", (unsigned long long)a,
                (unsigned long long)b, cpu_count);
    bench_exact(0, all.wrong, "  samples with another object or none");
}

static void sample(struct pair *pair, u32 randomise)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    memset(counts, 0, sizeof(counts));
    memset(accounts, 0, sizeof(accounts));
    pair->session = sample_cycles(pair->period, randomise, 0, 0);
    bench_exact(1, pair->session > 0, "sampling started, period %u, %u bits random", pair->period,
                randomise);
    if (pair->session <= 0)
        return;
    u64 begin = timebase();
    do
        bench_on_cpus(bench_all_cpus(), work, pair, workers);
    while (!can_be_told() && timebase() - begin < PATIENCE_SECONDS * timebase_hz);
    sys_sampling_stop(pair->session);
    check();
}

void bench_ratio(void)
{
    bool exact = bench_time_is_exact();
    struct pair pair = {
        .rounds = exact ? ROUNDS_EXACT : ROUNDS_WALL,
        .period = exact ? PERIOD_EXACT : PERIOD_WALL,
    };
    pair.iterations = bench_spin_iterations((u64)pair.period * TURN_SAMPLES);
    if (test_objects_create(&test_object_class, pair.coids, 2) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    sample(&pair, 0);
    sample(&pair, 14);
    test_objects_destroy(pair.coids, 2);
}
