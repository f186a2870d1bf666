// SPDX-License-Identifier: MIT
// Two objects with work 2:1 in turns: their samples are 2:1, on every CPU, at fixed and randomised
// periods. A turn takes several periods, and there are many, so that chance does not weigh on one of
// them. Where time is the host's, a turn may take longer than its work, because the host runs something
// else: then the time base says what the samples have to agree with.
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
#define TOLERANCE 10        // per mille, where a cycle is an instruction
#define TOLERANCE_WALL 50   // where it is a nanosecond of the host, which does other things too

struct pair {
    coid_t coids[2]; // work 2 and 1
    u64 iterations;  // of work 1
    u32 rounds, period;
    s64 session;
};

static u64 ticks[ORRERY_MAX_CPUS][2];
static struct sample_counts counts[ORRERY_MAX_CPUS];

static void turn(const struct pair *pair, u32 object, u64 iterations)
{
    u64 begin = timebase();
    CO_CALL(struct test_object, pair->coids[object], spin_nested, iterations);
    ticks[cpu_id()][object] += timebase() - begin;
}

static void work(struct bench_worker *worker)
{
    const struct pair *pair = worker->argument;
    struct sample_counts *mine = &counts[worker->cpu];
    sample_counts_begin(pair->session, worker->cpu, mine);
    for (u32 i = 0; i < pair->rounds; i++) {
        for (u32 j = 0; j < ROUND_TURNS; j++) {
            turn(pair, 0, 2 * pair->iterations);
            turn(pair, 1, pair->iterations);
        }
        sample_counts_add(pair->session, worker->cpu, pair->coids, mine);
    }
}

static void check(void)
{
    u64 a = 0, b = 0, wrong = 0, ticks_a = 0, ticks_b = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        a += counts[cpu].own[0];
        b += counts[cpu].own[1];
        wrong += counts[cpu].other + counts[cpu].malformed;
        ticks_a += ticks[cpu][0];
        ticks_b += ticks[cpu][1];
    }
    u64 ratio = b == 0 ? 0 : a * 1000 / b;
    bool exact = bench_time_is_exact();
    u64 expected = exact || ticks_b == 0 ? 2000 : ticks_a * 1000 / ticks_b;
    u64 margin = expected * (exact ? TOLERANCE : TOLERANCE_WALL) / 1000;
    bench_range(expected - margin, expected + margin, ratio,
                "ratio x 1000 of %llu to %llu samples, %u CPUs", (unsigned long long)a,
                (unsigned long long)b, cpu_count);
    bench_exact(0, wrong, "  samples with another object or none");
}

static void sample(struct pair *pair, u32 randomise)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    memset(counts, 0, sizeof(counts));
    memset(ticks, 0, sizeof(ticks));
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
