// SPDX-License-Identifier: MIT
// Sampling by interrupts of the model unit: each CPU spins in an object of its own
// for a known number of instructions.
// Where the host is busy, interrupts come late and several overflows become one; the unit's totals
// say how many there have to be.
#include "model_sampling.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <string.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "sampling.h"
#include "model_witness.h"

#define PERIOD 100003UL
#define SAMPLES 100                       // a round
#define WANTED 10                         // so many samples: rounds go on until they are there
#define ITERATIONS (PERIOD * SAMPLES / 2) // two instructions each
#define EVENT (SYS_PMU_MODEL + MODEL_INSTRUCTIONS)

struct run {
    s64 session;
    bool masked;
    coid_t coids[ORRERY_MAX_CPUS];
    u64 rounds[ORRERY_MAX_CPUS];
};

static struct sample_counts counts[ORRERY_MAX_CPUS];
static struct model_witness witnesses[ORRERY_MAX_CPUS];
static const u32 event = MODEL_INSTRUCTIONS;

// Of several rounds.
static void add_counts(struct sample_counts *sum, const struct sample_counts *more)
{
    sum->in_loop += more->in_loop;
    sum->own[0] += more->own[0];
    sum->soft_masked += more->soft_masked;
    sum->backwards += more->backwards;
    sum->malformed += more->malformed;
    sum->read += more->read;
}

// On a busy host an emulator's interrupts may come later than a whole round takes.
static void sampling_spin(struct bench_worker *worker)
{
    struct run *run = worker->argument;
    const coid_t own[2] = {run->coids[worker->cpu], 0};
    struct model_witness *witness = &witnesses[worker->cpu];
    u64 begin = timebase();

    CO_CALL(struct work_object, own[0], touch); // the first call misses
    *witness = (struct model_witness){.session = run->session, .count = 1, .event = &event};
    model_witness_begin(witness);
    do {
        struct sample_counts more;
        if (run->masked)
            CO_CALL(struct work_object, own[0], spin_masked, ITERATIONS);
        else
            CO_CALL(struct work_object, own[0], spin, ITERATIONS);
        run->rounds[worker->cpu]++;
        sample_counts_of(run->session, worker->cpu, 0, EVENT, own, &more);
        add_counts(&counts[worker->cpu], &more);
    } while (counts[worker->cpu].in_loop < WANTED && bench_waits(begin));
    model_witness_end(witness);
}

static struct sys_sampling_stat stat_of(s64 session, u32 cpu)
{
    struct sys_sampling_stat stat = {0};

    sys_sampling_stat(session, cpu, 0, &stat);
    return stat;
}

static void check(const struct run *run)
{
    struct bench_tally own = {0}, masked = {0}, sums = {0}, read = {0}, overflows = {0};
    u64 wrong = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const struct sample_counts *found = &counts[cpu];
        const struct sys_sampling_stat stat = stat_of(run->session, cpu);
        u64 rounds = run->rounds[cpu];
        bench_compare(&own, found->in_loop, found->own[0]);
        bench_compare(&masked, run->masked ? found->in_loop : 0, found->soft_masked);
        bench_compare(&sums, stat.overflows, stat.taken + stat.lost + stat.missed);
        bench_compare(&read, stat.taken, found->read);
        wrong += found->backwards + found->malformed;
        bench_range(WANTED, UINT64_MAX, found->in_loop, "CPU %u: samples by interrupts in %sloop",
                    cpu, run->masked ? "masked " : "");
        model_witness_compare(&witnesses[cpu], 0, PERIOD, rounds * SAMPLES * PERIOD, &overflows);
    }
    bench_tally_row(&overflows, "  as many overflows as there were periods");
    bench_tally_row(&own, "  own object found");
    bench_tally_row(&masked, "  flagged as soft-masked");
    bench_tally_row(&sums, "  overflows are taken, lost or missed");
    bench_tally_row(&read, "  taken ones read");
    bench_exact(0, wrong, "  out of order, or malformed");
}

static void read_rest(struct run *run)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const coid_t own[2] = {run->coids[cpu], 0};
        struct sample_counts more;
        sample_counts_of(run->session, cpu, 0, EVENT, own, &more);
        counts[cpu].read += more.read;
    }
}

static void sampling_sample(bool masked)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    const struct sys_sampling sampling = {
        .event_count = 1,
        .events = {{.event = EVENT, .filter = SYS_PMU_KERNEL | SYS_PMU_USER, .period = PERIOD}}};
    struct run run = {.masked = masked};

    if (work_objects_create(run.coids, cpu_count) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    memset(counts, 0, sizeof(counts));
    run.session = sys_sampling_start(&sampling, NULL, 0);
    bench_exact(1, run.session > 0, "sampling of instructions started");
    if (run.session > 0) {
        bench_on_cpus(bench_all_cpus(), sampling_spin, &run, workers);
        sys_sampling_stop(run.session);
        read_rest(&run);
        check(&run);
    }
    work_objects_destroy(run.coids, cpu_count);
}

void model_check_sampling(void)
{
    sampling_sample(false);
    sampling_sample(true);
}
