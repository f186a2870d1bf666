// SPDX-License-Identifier: MIT
// Two objects with work 2:1 in turns: their samples are 2:1, on every CPU, at fixed and randomised
// periods. A turn takes several periods, and there are many, so that chance does not weigh on one of
// them. Where time is the host's, a turn may take longer than its work, because the host runs something
// else: then the time base says what the samples have to agree with, but for times so long that the unit
// gives up periods; and how much the rounds differ among themselves says how well they have to.
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
#define STANDARD_ERRORS 4   // or so many, if that is more

struct pair {
    coid_t coids[2]; // work 2 and 1
    u64 iterations;  // of work 1
    u32 rounds, period;
    s64 session;
};

// Of a CPU: the objects' time, and sums over the rounds of the products of their samples.
struct account {
    u64 nanoseconds[2];
    u64 squares[2], products;
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
        account->squares[0] += a * a;
        account->squares[1] += b * b;
        account->products += a * b;
    }
}

// What a ratio of so many samples may be off where time is the host's, both in thousandths. A round's a and
// b are off by 1000 a - ratio b, and the sum of all by the root of the sum of their squares.
static u64 wall_margin(u64 ratio, u64 samples, const struct account *all)
{
    u64 squares =
        1000000 * all->squares[0] + ratio * ratio * all->squares[1] - 2000 * ratio * all->products;
    u64 margin = ratio * TOLERANCE_WALL / 1000;
    while (margin * samples * margin * samples < STANDARD_ERRORS * STANDARD_ERRORS * squares)
        margin++;
    return margin;
}

static void check(void)
{
    u64 a = 0, b = 0, wrong = 0;
    struct account all = {0};
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        a += counts[cpu].own[0];
        b += counts[cpu].own[1];
        wrong += counts[cpu].other + counts[cpu].malformed;
        for (u32 object = 0; object < 2; object++) {
            all.nanoseconds[object] += accounts[cpu].nanoseconds[object];
            all.squares[object] += accounts[cpu].squares[object];
        }
        all.products += accounts[cpu].products;
    }
    bool exact = bench_time_is_exact();
    u64 expected = exact ? 2000 : all.nanoseconds[0] * 1000 / all.nanoseconds[1];
    u64 margin = exact || b == 0 ? expected * TOLERANCE / 1000 : wall_margin(expected, b, &all);
    bench_range(expected - margin, expected + margin, b == 0 ? 0 : a * 1000 / b,
                "ratio x 1000 of %llu to %llu samples, %u CPUs", (unsigned long long)a,
                (unsigned long long)b, cpu_count);
    bench_exact(0, wrong, "  samples with another object or none");
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
    bench_on_cpus(bench_all_cpus(), work, pair, workers);
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
