// SPDX-License-Identifier: MIT
// Sampling by interrupts of the model unit: each CPU spins in an object of its own for a known number of instructions.
// A sample is at most a block late, so all fall into the loop; where the host is busy several overflows may become one.
#include "model_sampling.h"

#include "../objects.h"
#include "../sampling.h"

#include <guest/bench.h>
#include <kernel/percpu.h>
#include <pmu/model.h>
#include <string.h>

#define PERIOD 100003UL
#define SAMPLES 100
#define OF_ITSELF 3 // the instructions of a hundred interrupts, and one period that had begun
#define ITERATIONS (PERIOD * SAMPLES / 2) // two instructions each

struct run {
    s64 session;
    bool masked;
    coid_t coids[ORRERY_MAX_CPUS];
};

static struct sample_counts counts[ORRERY_MAX_CPUS];

static void spin(struct bench_worker *worker)
{
    const struct run *run = worker->argument;
    const coid_t own[2] = {run->coids[worker->cpu], 0};

    CO_CALL(struct test_object, own[0], touch); // the first call misses
    sample_counts_begin(run->session, worker->cpu, &counts[worker->cpu]);
    if (run->masked)
        CO_CALL(struct test_object, own[0], spin_masked, ITERATIONS);
    else
        CO_CALL(struct test_object, own[0], spin, ITERATIONS);
    sample_counts_add(run->session, worker->cpu, own, &counts[worker->cpu]);
}

static u64 missed(s64 session, u32 cpu)
{
    struct sys_sampling_stat stat = {0};

    return sys_sampling_stat(session, cpu, &stat) == 0 ? stat.missed : 0;
}

static void check(const struct run *run)
{
    struct bench_tally own = {0}, masked = {0};
    u64 wrong = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct sample_counts *found = &counts[cpu];
        bench_compare(&own, found->in_loop, found->own[0]);
        bench_compare(&masked, run->masked ? found->in_loop : 0, found->soft_masked);
        wrong += found->backwards;
        bench_range(1, SAMPLES + OF_ITSELF, found->in_loop,
                    "CPU %u: samples by interrupts in %sloop", cpu, run->masked ? "masked " : "");
        bench_range(SAMPLES - 1, UINT64_MAX, found->in_loop + missed(run->session, cpu),
                    "  and periods known to have passed without one");
    }
    bench_tally_row(&own, "  own object found");
    bench_tally_row(&masked, "  flagged as soft-masked");
    bench_exact(0, wrong, "  out of order");
}

static void sample(bool masked)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    const struct sys_sampling sampling = {.event = SYS_PMU_MODEL + MODEL_INSTRUCTIONS,
                                          .period = PERIOD};
    struct run run = {.masked = masked};

    if (test_objects_create(&test_object_class, run.coids, cpu_count) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    memset(counts, 0, sizeof(counts));
    run.session = sys_sampling_start(&sampling);
    bench_exact(1, run.session > 0, "sampling of instructions started");
    if (run.session > 0) {
        bench_on_cpus(bench_all_cpus(), spin, &run, workers);
        sys_sampling_stop(run.session);
        check(&run);
    }
    test_objects_destroy(run.coids, cpu_count);
}

void model_check_sampling(void)
{
    sample(false);
    sample(true);
}
