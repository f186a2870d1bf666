// SPDX-License-Identifier: MIT
// Cycle samples (S000 §4.4.1): a loop of known length inside an object's method, at several lengths
// and periods, on all CPUs. Checked: how many samples fell into the loop, that every one of
// them found the benchmark's own object, and that they fall into soft-masked sections.
//
// Where an instruction is a cycle (-icount) the number is exact. Otherwise a cycle is a nanosecond
// of the host's time, and the loop's length is what the time base measured. The emulator raises the
// interrupt late, and not while the host runs something else, so fewer may come.
#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <string.h>
#include <workloads/work.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "benches.h"
#include "sampling.h"

// Samples of before the loop that came late and are made up for in it: four at most (docs/pmu.md).
#define MADE_UP 6
// A loop that long gets a sample, in the end, even on a host that is very busy.
#define LONG_SAMPLES 50

struct run {
    u64 period;
    u64 samples; // that the loop is long for, fewer than the smallest buffer holds
    u32 randomise;
    bool masked;
    u64 iterations;
    s64 session;
    coid_t coids[ORRERY_MAX_CPUS]; // each CPU spins in an object of its own
};

static struct sample_counts counts[ORRERY_MAX_CPUS];

// result: ticks spent in the method.
static void cycles_spin(struct bench_worker *worker)
{
    const struct run *run = worker->argument;
    coid_t own[2] = {run->coids[worker->cpu], 0};
    struct sample_counts *mine = &counts[worker->cpu];
    CO_CALL(struct work_object, own[0], touch); // the first call misses
    sample_counts_begin(run->session, worker->cpu, mine);
    u64 begin = timebase();
    worker->result = 0;
    // A host may be too busy to interrupt this CPU during the whole loop: then once more.
    do {
        u64 turn = timebase();
        if (run->masked)
            CO_CALL(struct work_object, own[0], spin_masked, run->iterations);
        else
            CO_CALL(struct work_object, own[0], spin, run->iterations);
        worker->result += timebase() - turn;
        sample_counts_add(run->session, worker->cpu, own, mine);
    } while (run->samples >= LONG_SAMPLES && mine->in_loop == 0 && bench_waits(begin));
}

static void check_number(const struct run *run, bool exact, u32 cpu, u64 ticks)
{
    u64 ns = exact ? 2 * run->iterations : work_ticks_to_ns(ticks);
    u64 expected = ns / run->period;
    // The low bits of a period are uniform: its variance is 4^bits / 12. That of the loop's samples
    // is so many times it, in units of the square of the period.
    u64 variance = run->randomise != 0 ? expected * (1UL << 2 * run->randomise) / 12 : 0;
    u64 margin = 1 + (bench_chance(variance) + run->period - 1) / run->period;
    if (!exact)
        margin += MADE_UP;
    u64 low = exact ? expected - margin : run->samples >= LONG_SAMPLES;
    bench_range(low, expected + margin, counts[cpu].in_loop,
                "CPU %u: samples in %sloop of %llu cycles", cpu, run->masked ? "masked " : "",
                (unsigned long long)ns);
}

static void check(const struct run *run, bool exact, const struct bench_worker workers[])
{
    struct bench_tally own = {0}, taken = {0}, masked = {0};
    u64 wrong = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sample_counts *found = &counts[cpu];
        // Until the end of the loop: later no one reads for a while. When time is the host's, a
        // loop may take so long that its samples do not fit.
        u64 lost = found->lost;
        sample_counts_add(run->session, cpu, (const coid_t[]){run->coids[cpu], 0}, found);
        check_number(run, exact, cpu, workers[cpu].result);
        bench_compare(&own, found->in_loop, found->own[0]);
        bench_compare(&taken, found->taken, found->read);
        bench_compare(&masked, run->masked ? found->in_loop : 0, found->soft_masked);
        wrong += (exact ? lost : 0) + found->backwards + found->malformed;
    }
    bench_tally_row(&own, "  own object found");
    bench_tally_row(&masked, "  flagged as soft-masked");
    bench_tally_row(&taken, "  samples read, of those taken");
    bench_exact(0, wrong, "  lost, out of order, or malformed");
}

static void cycles_sample(struct run *run, bool exact)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    run->iterations = work_spin_iterations(run->period * run->samples);
    if (work_objects_create(run->coids, cpu_count) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    memset(counts, 0, sizeof(counts));
    run->session = sample_cycles(run->period, run->randomise, 0, 0);
    bench_exact(1, run->session > 0, "sampling started, period %llu, %u bits random",
                (unsigned long long)run->period, run->randomise);
    if (run->session > 0) {
        bench_on_cpus(bench_all_cpus(), cycles_spin, run, workers);
        sys_sampling_stop(run->session);
        check(run, exact, workers);
    }
    work_objects_destroy(run->coids, cpu_count);
}

void bench_cycles(void)
{
    static const struct run runs[] = {
        {.period = 100003, .samples = 100},
        {.period = 100003, .samples = 100, .masked = true},
        {.period = 250007, .samples = 20},
        {.period = 1000003, .samples = 50},
        {.period = 200000, .samples = 80, .randomise = 16},
    };
    static const struct run fast = {.period = 5003, .samples = 100};
    bool exact = work_time_is_exact();
    if (!exact)
        bench_note("a cycle is a nanosecond of host time here: the number has an upper bound only");
    for (u32 i = 0; i < ARRAY_SIZE(runs); i++) {
        struct run run = runs[i];
        cycles_sample(&run, exact);
    }
    if (exact) {
        struct run run = fast; // faster than the host could deliver
        cycles_sample(&run, exact);
    }
}
