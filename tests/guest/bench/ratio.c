// SPDX-License-Identifier: MIT
// Two objects with work 2:1 in turns: their samples are 2:1, on every CPU, at fixed and randomised
// periods. A turn takes several periods, and there are many, so that neither chance nor what else
// the host does weighs on one of them.
#include <guest/bench.h>

#include "../benches.h"
#include "../objects.h"
#include "../sampling.h"

#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <string.h>

#define ROUNDS 240
#define ROUND_TURNS 3 // between two readings of the buffer
#define PERIOD 100003
#define TURN_SAMPLES 5    // of the object with less work
#define TOLERANCE 10      // per mille, where a cycle is an instruction
#define TOLERANCE_WALL 50 // where it is a nanosecond of the host, which does other things too

struct pair {
    coid_t coids[2]; // work 2 and 1
    u64 iterations;  // of work 1
    s64 session;
};

static struct sample_counts counts[ORRERY_MAX_CPUS];

static void work(struct bench_worker *worker)
{
    const struct pair *pair = worker->argument;
    struct sample_counts *mine = &counts[worker->cpu];
    sample_counts_begin(pair->session, worker->cpu, mine);
    for (u32 i = 0; i < ROUNDS; i++) {
        for (u32 j = 0; j < ROUND_TURNS; j++) {
            CO_CALL(struct test_object, pair->coids[0], spin_nested, 2 * pair->iterations);
            CO_CALL(struct test_object, pair->coids[1], spin_nested, pair->iterations);
        }
        sample_counts_add(pair->session, worker->cpu, pair->coids, mine);
    }
}

static void check(void)
{
    u64 a = 0, b = 0, wrong = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        a += counts[cpu].own[0];
        b += counts[cpu].own[1];
        wrong += counts[cpu].other + counts[cpu].malformed;
    }
    u64 ratio = b == 0 ? 0 : a * 1000 / b;
    u64 tolerance = bench_time_is_exact() ? TOLERANCE : TOLERANCE_WALL;
    bench_range(2000 - 2 * tolerance, 2000 + 2 * tolerance, ratio,
                "ratio x 1000 of %llu to %llu samples, %u CPUs", (unsigned long long)a,
                (unsigned long long)b, cpu_count);
    bench_exact(0, wrong, "  samples with another object or none");
}

static void sample(struct pair *pair, u32 randomise)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct sys_sampling sampling = {
        .event = SYS_PMU_CYCLES, .period = PERIOD, .randomise = randomise};
    memset(counts, 0, sizeof(counts));
    pair->session = sys_sampling_start(&sampling);
    bench_exact(1, pair->session > 0, "sampling started, period %u, %u bits random", PERIOD,
                randomise);
    if (pair->session <= 0)
        return;
    bench_on_cpus(bench_all_cpus(), work, pair, workers);
    sys_sampling_stop(pair->session);
    check();
}

void bench_ratio(void)
{
    struct pair pair = {.iterations = bench_spin_iterations((u64)PERIOD * TURN_SAMPLES)};
    if (test_objects_create(&test_object_class, pair.coids, 2) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    sample(&pair, 0);
    sample(&pair, 14);
    test_objects_destroy(pair.coids, 2);
}
