// SPDX-License-Identifier: MIT
// Samples of what the five metrics count (S000 §4.4.1): lock acquisition with a store
// that is never executed (always:
// model_events.c), contention, branches hinted wrong and right, dependent adds, and walks over
// pages. Of E events in a loop, one in P is sampled: E / P samples or one more, when nothing else
// happens (precise, interrupts off). With interrupts the unit's totals say how
// many overflows there have to be.
#include "model_metrics.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "sampling.h"
#include "model_walk.h"
#include "model_witness.h"

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)
#define EVENTS_MAX 2

// each: of a turn, but for `fewer` in all: the last turn's branch goes the other way.
struct metric {
    u32 event;
    u64 each;
    const char *name;
    u64 fewer;
};

struct loop {
    const char *name;
    void (*run)(coid_t own, u64 turns);
    bool walks;   // whole rounds
    bool outside; // of all objects
    struct metric metrics[EVENTS_MAX];
    u32 count;
};

static struct run {
    const struct loop *loop;
    u64 turns, period; // of an event that comes once a turn
    u32 flags;
    coid_t coids[ORRERY_MAX_CPUS];
    struct sample_counts counts[ORRERY_MAX_CPUS][EVENTS_MAX];
    struct sys_sampling_stat stats[ORRERY_MAX_CPUS][EVENTS_MAX];
    s64 session;
    u32 events[EVENTS_MAX]; // the loop's
    struct model_witness witnesses[ORRERY_MAX_CPUS];
} run;

static struct model_case walks[MODEL_WALKS_MAX];
enum { READS = 0, WRITES = 1, CODE = 3 }; // of them

// ---- the loops ----------------------------------------------------------------------------------

static void metric_look(coid_t own, u64 turns)
{
    CO_CALL(struct work_object, own, look, turns);
}

static void hint_wrong(coid_t own, u64 turns)
{
    CO_CALL(struct work_object, own, hint_wrong, turns);
}

static void hint_right(coid_t own, u64 turns)
{
    CO_CALL(struct work_object, own, hint_right, turns);
}

static void add(coid_t own, u64 turns)
{
    CO_CALL(struct work_object, own, add, turns);
}

static struct work_walk walk_of(u32 number, u64 turns)
{
    const struct model_case *one = &walks[number];

    return (struct work_walk){.turns = turns, .base = one->a, .stride = one->b, .mask = one->c};
}

static void read_walk(coid_t own, u64 turns)
{
    const struct work_walk walk = walk_of(READS, turns);

    CO_CALL(struct work_object, own, read_walk, &walk);
}

static void write_walk(coid_t own, u64 turns)
{
    const struct work_walk walk = walk_of(WRITES, turns);

    CO_CALL(struct work_object, own, write_walk, &walk);
}

// A turn is a page, one of a chain of branches.
static void code_walk(coid_t own, u64 turns)
{
    u64 pages = walks[CODE].each[MODEL_ITLB_MISS];

    (void)own;
    for (u64 done = 0; done < turns; done += pages)
        __asm__ volatile("mtctr %0\nbctrl" ::"r"(walks[CODE].a) : "ctr", "lr", "memory");
}

// The cycles of a turn are filled in.
static struct loop loops[] = {
    {"stcx never", metric_look, .metrics = {{MODEL_LARX, 1, "larx"}, {MODEL_STCX, 0, "stcx"}},
     .count = 2},
    {"hint wrong", hint_wrong,
     .metrics = {{MODEL_MISPREDICTED, 1, "mispredicted", 1}, {MODEL_BRANCHES, 1, "branches"}},
     .count = 2},
    {"hint right", hint_right,
     .metrics = {{MODEL_TAKEN, 1, "taken", 1}, {MODEL_MISPREDICTED, 0, "mispredicted"}},
     .count = 2},
    {"dependent adds", add,
     .metrics = {{MODEL_INSTRUCTIONS, 9, "instructions"}, {MODEL_CYCLES, 0, "cycles"}}, .count = 2},
    {"page walk, reads", read_walk, true, .metrics = {{MODEL_DTLB_MISS, 1, "D-TLB misses"}},
     .count = 1},
    {"page walk, writes", write_walk, true, .metrics = {{MODEL_DTLB_MISS, 1, "D-TLB misses"}},
     .count = 1},
    {"page walk, instructions", code_walk, true, true,
     .metrics = {{MODEL_ITLB_MISS, 1, "I-TLB misses"}}, .count = 1},
};

static void fill_in_cycles(void)
{
    const u64 *cost = model_machine()->geometry.cost;

    for (u32 i = 0; i < ARRAY_SIZE(loops); i++)
        for (u32 j = 0; j < loops[i].count; j++)
            if (loops[i].metrics[j].event == MODEL_CYCLES)
                loops[i].metrics[j].each =
                    9 * cost[MODEL_INSTRUCTIONS] + cost[MODEL_BRANCHES] + cost[MODEL_TAKEN];
}

// ---- sampling -----------------------------------------------------------------------------------

static bool is_precise(void)
{
    return (run.flags & SYS_SAMPLING_PRECISE) != 0;
}

static u64 period_of(const struct metric *metric)
{
    return run.period * (metric->each != 0 ? metric->each : 1);
}

static void work(struct bench_worker *worker)
{
    coid_t own = run.coids[worker->cpu];

    CO_CALL(struct work_object, own, touch); // the first call misses
    u64 msr = is_precise() ? hard_mask() : 0;
    run.loop->run(own, run.turns);
    if (is_precise())
        hard_mask_restore(msr);
}

static void metric_work_witnessed(struct bench_worker *worker)
{
    struct model_witness *witness = &run.witnesses[worker->cpu];

    *witness = (struct model_witness){
        .session = run.session, .count = run.loop->count, .event = run.events};
    model_witness_begin(witness);
    work(worker);
    model_witness_end(witness);
}

static s64 start(void)
{
    struct sys_sampling sampling = {.event_count = run.loop->count, .flags = run.flags};
    char message[128] = "";

    for (u32 i = 0; i < run.loop->count; i++) {
        run.events[i] = run.loop->metrics[i].event;
        sampling.events[i] =
            (struct sys_sampled_event){.event = SYS_PMU_MODEL + run.loop->metrics[i].event,
                                       .filter = BOTH,
                                       .period = period_of(&run.loop->metrics[i])};
    }
    s64 session = sys_sampling_start(&sampling, message, sizeof(message));
    if (session <= 0)
        bench_note("refused: %s", message);
    return session;
}

static void read_all(void)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const coid_t own[2] = {run.coids[cpu], 0};
        for (u32 i = 0; i < run.loop->count; i++) {
            sample_counts_of(run.session, cpu, i, SYS_PMU_MODEL + run.loop->metrics[i].event, own,
                             &run.counts[cpu][i]);
            sys_sampling_stat(run.session, cpu, i, &run.stats[cpu][i]);
        }
    }
}

static bool sample_once(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    run.session = start();
    if (run.session <= 0)
        return false;
    bench_on_cpus(bench_all_cpus(), metric_work_witnessed, NULL, workers);
    sys_sampling_stop(run.session);
    read_all();
    return true;
}

// ---- what was found -----------------------------------------------------------------------------

static u64 found_of(u32 index)
{
    u64 found = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        found +=
            run.loop->outside ? run.stats[cpu][index].overflows : run.counts[cpu][index].in_loop;
    return found;
}

static bool can_be_judged(void)
{
    u32 found = 0;

    for (u32 i = 0; i < run.loop->count; i++)
        found += is_precise() ? run.loop->outside || samples_missing(run.session, i) == 0
                              : found_of(i) != 0 || run.loop->metrics[i].each * run.turns <
                                                        period_of(&run.loop->metrics[i]);
    return found == run.loop->count;
}

// Interrupts that come later than the loop takes find none of it: then once more.
static bool metric_sample(u64 turns, u64 period, u32 flags)
{
    u64 round = run.loop->walks ? 2 * model_machine()->geometry.tlb_entries : 1, begin = timebase();
    bool right;

    run.turns = (turns + round - 1) / round * round;
    run.period = period;
    run.flags = flags;
    do
        right = sample_once();
    while (right && !can_be_judged() && bench_waits(begin));
    return right;
}

static void check_precise(u32 index)
{
    const struct metric *metric = &run.loop->metrics[index];
    u64 period = period_of(metric), events = run.turns * metric->each;
    u64 low = events / period * cpu_count;

    bench_range(low, low + (events != 0) * cpu_count, found_of(index), "%s, %lu: %s/%lu",
                run.loop->name, run.turns, metric->name, period);
    if (!run.loop->outside)
        bench_exact(0, samples_missing(run.session, index), "  lost, or missed");
}

static void check_interrupts(u32 index)
{
    const struct metric *metric = &run.loop->metrics[index];
    u64 period = period_of(metric), events = run.turns * metric->each;
    struct bench_tally tally = {0};

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        model_witness_compare(&run.witnesses[cpu], index, period, events - metric->fewer, &tally);
    bench_tally_row(&tally, "%s, %lu: %s/%lu, overflows", run.loop->name, run.turns, metric->name,
                    period);
    if (events >= period)
        bench_range(1, UINT64_MAX, found_of(index), "  samples in the loop");
}

static void check_metric(u32 index)
{
    if (is_precise())
        check_precise(index);
    else
        check_interrupts(index);
}

struct sums {
    struct bench_tally own, overflows, read;
    u64 malformed;
};

static void add_up(struct sums *sums)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        for (u32 i = 0; i < run.loop->count; i++) {
            const struct sample_counts *counts = &run.counts[cpu][i];
            const struct sys_sampling_stat *stat = &run.stats[cpu][i];
            bench_compare(&sums->own, counts->in_loop, counts->own[0]);
            bench_compare(&sums->overflows, stat->overflows,
                          stat->taken + stat->lost + stat->missed);
            bench_compare(&sums->read, stat->taken, counts->read);
            sums->malformed += counts->malformed + counts->backwards;
        }
}

static void check_loop(const struct loop *loop)
{
    static const u64 limits[][2] = {{20480, 1003}, {102400, 1003}, {102400, 10007}};
    struct sums sums = {0};

    run.loop = loop;
    for (u32 precise = 0; precise < 2; precise++) {
        u32 flags = precise == 0 ? SYS_SAMPLING_PRECISE : 0;
        bench_note("%s, %s", loop->name, precise == 0 ? "precise records" : "interrupts");
        // The first one leaves the TLB as each one does.
        bool right = metric_sample(1, 1003 * BENCH_CODE_FACTOR, flags);
        for (u32 i = 0; i < ARRAY_SIZE(limits) && right; i++) {
            right = metric_sample(limits[i][0] * BENCH_CODE_FACTOR,
                                  limits[i][1] * BENCH_CODE_FACTOR, flags);
            for (u32 j = 0; j < loop->count && right; j++)
                check_metric(j);
            if (right)
                add_up(&sums);
        }
        if (!right)
            bench_exact(0, 1, "%s: sampling could not be started", loop->name);
    }
    if (!loop->outside)
        bench_tally_row(&sums.own, "%s: own object found", loop->name);
    bench_tally_row(&sums.overflows, "  overflows are taken, lost or missed");
    bench_tally_row(&sums.read, "  taken ones read");
    bench_exact(0, sums.malformed, "  malformed, or out of order");
}

void model_check_metrics(void)
{
    if (model_walks_create(walks) == 0) {
        bench_exact(0, 1, "metrics: no memory for the pages");
        return;
    }
    if (work_objects_create(run.coids, cpu_count) != 0) {
        bench_exact(0, 1, "metrics: objects that could not be created");
    } else {
        fill_in_cycles();
        for (u32 i = 0; i < ARRAY_SIZE(loops); i++)
            check_loop(&loops[i]);
        work_objects_destroy(run.coids, cpu_count);
    }
    model_walks_destroy();
}
