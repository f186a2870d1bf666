// SPDX-License-Identifier: MIT
// The counter of S000 figure 2.5, shared and distributed: increments and decrements by all CPUs add
// up, and every CPU sees the sum.
#include "bench.h"

#include <co/counter.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>

#include "benches.h"

#define CALLS 5000
#define DECREMENTS 10

static u64 increments(u32 cpu)
{
    return CALLS * (cpu + 1);
}

// result: calls that failed.
static void count(struct bench_worker *worker)
{
    coid_t coid = *(coid_t *)worker->argument;
    for (u64 i = 0; i < increments(worker->cpu); i++)
        worker->result += CO_CALL(struct counter, coid, inc) != 0;
    for (u64 i = 0; i < DECREMENTS; i++)
        worker->result += CO_CALL(struct counter, coid, dec) != 0;
}

static void counter_read(struct bench_worker *worker)
{
    worker->result = (u64)CO_CALL(struct counter, *(coid_t *)worker->argument, val);
}

static void validate(s64 created, const char *kind)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally errors = {0}, sums = {0};
    coid_t coid = (coid_t)created;
    u64 sum = 0;
    if (created < 0) {
        bench_exact(0, (u64)-created, "%s counter created", kind);
        return;
    }
    bench_on_cpus(bench_all_cpus(), count, &coid, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        bench_compare(&errors, 0, workers[cpu].result);
        sum += increments(cpu) - DECREMENTS;
    }
    bench_on_cpus(bench_all_cpus(), counter_read, &coid, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&sums, sum, workers[cpu].result);
    bench_tally_row(&errors, "%s counter: failed calls", kind);
    bench_tally_row(&sums, "%s counter: value, summed over %u readers", kind, cpu_count);
    bench_exact(0, (u64)-co_destroy(coid), "%s counter destroyed", kind);
    bench_on_cpus(bench_all_cpus(), counter_read, &coid, workers);
    struct bench_tally stale = {0};
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(&stale, (u64)-E_STALE, (u64) - (s64)workers[cpu].result);
    bench_tally_row(&stale, "%s counter: E_STALE on all CPUs", kind);
}

void bench_counter(void)
{
    validate(shared_counter_create(), "shared");
    validate(distributed_counter_create(), "distributed");
}
