// SPDX-License-Identifier: MIT
// Several events at once (S000 §4.4.1), at several loop limits and thresholds. On each CPU an
// object of its own takes and gives a reservation so many times, so the events of the loop are
// known. With precise records and interrupts off nothing else happens. E events with a period P
// have E / P samples, one more where a period had begun before. With interrupts there are other
// events besides, an interrupt may come late, and several overflows become one. Then the unit's
// totals say how many overflows there have to be, and some samples have to be in the loop.
#include "model_events.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <string.h>
#include <workloads/work_object.h>

#include "bench.h"
#include "sampling.h"
#include "model_witness.h"

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)
#define AROUND 40 // instructions of the method around its loop

// What a turn of the loop has.
static const struct kind {
    u64 each, around;
    const char *name;
} kinds[] = {{4, AROUND, "instructions"}, {2, AROUND, "branches"}, {1, 0, "larx"}, {1, 0, "stcx"}};
#define KINDS ARRAY_SIZE(kinds)
static const u32 events[KINDS] = {MODEL_INSTRUCTIONS, MODEL_BRANCHES, MODEL_LARX, MODEL_STCX};

struct run {
    u64 turns, period; // of an event that comes once a turn
    u32 flags;
    s64 session;
    coid_t coids[ORRERY_MAX_CPUS];
    struct sample_counts counts[ORRERY_MAX_CPUS][KINDS];
    struct sys_sampling_stat stats[ORRERY_MAX_CPUS][KINDS];
    struct model_witness witnesses[ORRERY_MAX_CPUS];
};

static struct run run;

// An error as a number that can be read in the table; 0: none.
static u64 refusal(s64 result)
{
    return result < 0 ? (u64)-result : 0;
}

static bool is_precise(void)
{
    return (run.flags & SYS_SAMPLING_PRECISE) != 0;
}

static void events_work(struct bench_worker *worker)
{
    coid_t own = run.coids[worker->cpu];

    CO_CALL(struct work_object, own, reserve, 1); // the first call misses
    u64 msr = is_precise() ? hard_mask() : 0;
    CO_CALL(struct work_object, own, reserve, run.turns);
    if (is_precise())
        hard_mask_restore(msr);
}

static void events_work_witnessed(struct bench_worker *worker)
{
    struct model_witness *witness = &run.witnesses[worker->cpu];

    *witness = (struct model_witness){.session = run.session, .count = KINDS, .event = events};
    model_witness_begin(witness);
    events_work(worker);
    model_witness_end(witness);
}

static s64 start(void)
{
    struct sys_sampling sampling = {.event_count = KINDS, .flags = run.flags, .callers = 2};
    char message[128];

    for (u32 i = 0; i < KINDS; i++)
        sampling.events[i] = (struct sys_sampled_event){.event = SYS_PMU_MODEL + events[i],
                                                        .filter = BOTH,
                                                        .period = run.period * kinds[i].each};
    s64 session = sys_sampling_start(&sampling, message, sizeof(message));
    if (session <= 0)
        bench_note("refused: %s", message);
    return session;
}

static void read_all(void)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const coid_t own[2] = {run.coids[cpu], 0};
        for (u32 i = 0; i < KINDS; i++) {
            sample_counts_of(run.session, cpu, i, SYS_PMU_MODEL + events[i], own,
                             &run.counts[cpu][i]);
            sys_sampling_stat(run.session, cpu, i, &run.stats[cpu][i]);
        }
    }
}

static u64 in_loop(u32 index)
{
    u64 found = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        found += run.counts[cpu][index].in_loop;
    return found;
}

static void check_precise(u32 index)
{
    const struct kind *kind = &kinds[index];
    u64 period = run.period * kind->each;

    bench_range(cpu_count * (run.turns * kind->each / period),
                cpu_count * ((run.turns * kind->each + kind->around) / period + 1), in_loop(index),
                "  %s, each %lu: samples", kind->name, period);
    bench_exact(0, samples_missing(run.session, index), "    lost, or missed");
}

static void check_interrupts(u32 index)
{
    const struct kind *kind = &kinds[index];
    u64 period = run.period * kind->each;
    struct bench_tally tally = {0};

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        model_witness_compare(&run.witnesses[cpu], index, period, run.turns * kind->each, &tally);
    bench_tally_row(&tally, "  %s, each %lu: overflows", kind->name, period);
    bench_range(1, UINT64_MAX, in_loop(index), "    samples in the loop");
}

static void check(void)
{
    struct bench_tally own = {0}, sums = {0}, read = {0};
    u64 malformed = 0;

    bench_note("%s, %lu turns", is_precise() ? "precise records" : "interrupts", run.turns);
    for (u32 i = 0; i < KINDS; i++) {
        if (is_precise())
            check_precise(i);
        else
            check_interrupts(i);
        for (u32 cpu = 0; cpu < cpu_count; cpu++) {
            const struct sample_counts *counts = &run.counts[cpu][i];
            const struct sys_sampling_stat *stat = &run.stats[cpu][i];
            bench_compare(&own, counts->in_loop, counts->own[0]);
            bench_compare(&sums, stat->overflows, stat->taken + stat->lost + stat->missed);
            bench_compare(&read, stat->taken, counts->read);
            malformed += counts->malformed + counts->backwards;
        }
    }
    bench_tally_row(&own, "  own object found");
    bench_tally_row(&sums, "  overflows are taken, lost or missed");
    bench_tally_row(&read, "  taken ones read");
    bench_exact(0, malformed, "  malformed, or out of order");
}

static bool sample_once(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    run.session = start();
    if (run.session <= 0)
        return false;
    bench_on_cpus(bench_all_cpus(), events_work_witnessed, NULL, workers);
    sys_sampling_stop(run.session);
    read_all();
    return true;
}

static bool can_be_judged(void)
{
    u32 found = 0;

    for (u32 i = 0; i < KINDS; i++)
        found += is_precise() ? samples_missing(run.session, i) == 0 : in_loop(i) != 0;
    return found == KINDS;
}

// Interrupts that come later than the loop takes find none of it: then once more.
static void events_sample(u64 turns, u64 period, u32 flags)
{
    u64 begin = timebase();
    bool right;

    run.turns = turns;
    run.period = period;
    run.flags = flags;
    do
        right = sample_once();
    while (right && !can_be_judged() && bench_waits(begin));
    if (right)
        check();
    else
        bench_exact(0, 1, "sampling of four events could not be started");
}

// ---- what a change of the period leaves ---------------------------------------------------------

static s64 start_one(u32 event, u32 filter, u64 period, u32 flags)
{
    const struct sys_sampling sampling = {
        .event_count = 1,
        .flags = flags,
        .events = {{.event = SYS_PMU_MODEL + event, .filter = filter, .period = period}}};

    return sys_sampling_start(&sampling, NULL, 0);
}

static void work_all(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    bench_on_cpus(bench_all_cpus(), events_work, &run, workers);
}

static void check_change(void)
{
    struct bench_tally sums = {0}, own = {0};
    u64 found = 0;

    run.turns = 50000;
    run.flags = SYS_SAMPLING_PRECISE;
    s64 session = start_one(MODEL_LARX, BOTH, 1000, run.flags);
    work_all();
    bench_exact(0, refusal(sys_sampling_change(session, 0, 5000, 0)),
                "a running session's period changed");
    bench_exact(refusal(E_STALE), refusal(sys_sampling_change(session + 1, 0, 5000, 0)),
                "  of no session");
    bench_exact(refusal(E_INVAL), refusal(sys_sampling_change(session, 1, 5000, 0)),
                "  of no event");
    bench_exact(refusal(E_INVAL), refusal(sys_sampling_change(session, 0, 1UL << 63, 0)),
                "  to 2^63");
    bench_exact(refusal(E_INVAL), refusal(sys_sampling_change(session, 0, 0, 0)), "  to 0");
    work_all();
    sys_sampling_stop(session);
    bench_exact(refusal(E_STALE), refusal(sys_sampling_change(session, 0, 5000, 0)),
                "  of one that has ended: refused");
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const coid_t coid[2] = {run.coids[cpu], 0};
        struct sample_counts counts;
        struct sys_sampling_stat stat = {0};
        sample_counts_of(session, cpu, 0, SYS_PMU_MODEL + MODEL_LARX, coid, &counts);
        sys_sampling_stat(session, cpu, 0, &stat);
        found += counts.in_loop;
        bench_compare(&sums, stat.overflows, stat.taken + stat.lost + stat.missed);
        bench_compare(&own, counts.in_loop, counts.own[0]);
    }
    bench_range(cpu_count * (50 + 10), cpu_count * (50 + 10 + 2), found,
                "  samples before and after");
    bench_tally_row(&own, "  own object found");
    bench_tally_row(&sums, "  overflows are taken, lost or missed");
}

#define CHANGES 200
#define PART 4 // of a period is counted after each change

static struct sample_counts counts_on(s64 session, u32 cpu)
{
    const coid_t coid[2] = {run.coids[cpu], 0};
    struct sample_counts counts;

    sample_counts_of(session, cpu, 0, SYS_PMU_MODEL + MODEL_LARX, coid, &counts);
    return counts;
}

// With a whole period after each change, or what was left of the last one, no sample or each one
// would fall into the loop. A place drawn by lot is there once in PART times: n times have n / PART
// samples, with a variance of n / PART (1 - 1 / PART) < n / 5. Further off than 6.5 standard
// deviations, or 3 roots of n, is no chance.
static void check_phase(void)
{
    u64 times = CHANGES * cpu_count, found = 0, root = 0;

    run.turns = 5000;
    run.flags = SYS_SAMPLING_PRECISE;
    u64 period = PART * run.turns;
    s64 session = start_one(MODEL_LARX, BOTH, period, run.flags);
    for (u32 i = 0; i < CHANGES; i++) {
        sys_sampling_change(session, 0, period, 0);
        work_all();
    }
    sys_sampling_stop(session);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        found += counts_on(session, cpu).in_loop;
    while ((root + 1) * (root + 1) <= times)
        root++;
    bench_range(times / PART - 3 * root, times / PART + 3 * root, found,
                "after a change the first sample is drawn by lot");
}

// Precise samples have the time of their reading: those of the old period must be older than the
// change's end, or they would count with the new one.
static void check_drained(void)
{
    u64 found = 0, late = 0;

    run.turns = 50000;
    run.flags = SYS_SAMPLING_PRECISE;
    s64 session = start_one(MODEL_LARX, BOTH, 1000, run.flags);
    work_all();
    sys_sampling_change(session, 0, SYS_PERIOD_MAX, 0);
    u64 end = timebase();
    sys_sampling_stop(session);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sample_counts counts = counts_on(session, cpu);
        found += counts.in_loop;
        late += counts.last_time > end;
    }
    bench_range(cpu_count * 50, cpu_count * 51, found, "precise samples before a change");
    bench_exact(0, late, "  CPUs that have read some after it");
}

// ---- functions that the method calls ------------------------------------------------------------

static void work_nested(struct bench_worker *worker)
{
    coid_t own = run.coids[worker->cpu];

    CO_CALL(struct work_object, own, touch);
    u64 msr = hard_mask();
    CO_CALL(struct work_object, own, spin_nested, run.turns);
    hard_mask_restore(msr);
}

// The loop is in a leaf function, whose return address is in the link register alone.
static void check_nested(void)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct bench_tally own = {0};
    u64 found = 0, period = 1009 * BENCH_CODE_FACTOR;

    run.turns = 100000 * BENCH_CODE_FACTOR;
    u64 samples = 2 * run.turns / period, begin = timebase();
    s64 session;

    do {
        session = start_one(MODEL_INSTRUCTIONS, BOTH, period, SYS_SAMPLING_PRECISE);
        bench_on_cpus(bench_all_cpus(), work_nested, &run, workers);
        sys_sampling_stop(session);
    } while (samples_missing(session, 0) != 0 && bench_waits(begin));
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const coid_t coid[2] = {run.coids[cpu], 0};
        struct sample_counts counts;
        sample_counts_of(session, cpu, 0, SYS_PMU_MODEL + MODEL_INSTRUCTIONS, coid, &counts);
        found += counts.in_loop;
        bench_compare(&own, counts.in_loop, counts.own[0]);
    }
    bench_range(cpu_count * samples, cpu_count * (samples + 1), found,
                "precise records of a function that a method calls");
    bench_tally_row(&own, "  own object found");
}

// ---- filters, both units ------------------------------------------------------------------------

static u64 taken(s64 session, u32 index)
{
    u64 sum = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_sampling_stat stat = {0};
        sys_sampling_stat(session, cpu, index, &stat);
        sum += stat.overflows;
    }
    return sum;
}

static void check_filters(void)
{
    run.turns = 50000;
    run.flags = SYS_SAMPLING_PRECISE;
    s64 session = start_one(MODEL_LARX, SYS_PMU_USER, 1000, run.flags);
    work_all();
    sys_sampling_stop(session);
    bench_exact(0, taken(session, 0), "user only: samples of the kernel's");
    session = start_one(MODEL_LARX, SYS_PMU_KERNEL, 1000, run.flags);
    work_all();
    sys_sampling_stop(session);
    bench_range(50 * cpu_count, UINT64_MAX, taken(session, 0), "kernel only");
}

static u64 cycle_samples(s64 session)
{
    u64 sum = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_sampling_stat stat = {0};
        sys_sampling_stat(session, cpu, 0, &stat);
        sum += stat.taken + stat.lost;
    }
    return sum;
}

// Of cycles there are as many as the host likes, and when it likes.
static void check_both_units(void)
{
    const struct sys_sampling sampling = {
        .event_count = 2,
        .events = {{.event = SYS_PMU_CYCLES, .filter = BOTH, .period = 100000},
                   {.event = SYS_PMU_MODEL + MODEL_LARX, .filter = BOTH, .period = 10000}}};

    run.turns = 200000;
    run.flags = 0;
    s64 session = sys_sampling_start(&sampling, NULL, 0);
    bench_exact(1, session > 0, "cycles of the CPU beside an event of the model unit");
    u64 begin = timebase();
    do
        work_all();
    while (cycle_samples(session) == 0 && bench_waits(begin));
    sys_sampling_stop(session);
    bench_range(20 * cpu_count, UINT64_MAX, taken(session, 1), "  overflows of the one");
    bench_range(1, UINT64_MAX, cycle_samples(session), "  samples of the other");
}

// ---- in turns ----------------------------------------------------------------------------------

#define WORKS 10 // each long enough for some turns
#define MODES 3u
#define TURNS_PERIOD 1000

static const char *const mode_names[MODES] = {"kernel", "user", "both"};

struct turns {
    u64 events; // samples stand for, in all of the time
    u64 least_part, most_part, fewest;
};

static struct turns turns_of(s64 session, u32 index)
{
    struct turns turns = {.least_part = 100, .fewest = UINT64_MAX};

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct sys_sampling_stat stat = {0};
        sys_sampling_stat(session, cpu, index, &stat);
        u64 measured = stat.measured != 0 ? stat.measured : 1;
        u64 part = 100 * measured / (stat.total != 0 ? stat.total : 1);
        turns.events += stat.overflows * TURNS_PERIOD * stat.total / measured;
        turns.least_part = part < turns.least_part ? part : turns.least_part;
        turns.most_part = part > turns.most_part ? part : turns.most_part;
        turns.fewest = stat.turns < turns.fewest ? stat.turns : turns.fewest;
    }
    return turns;
}

static void check_mode(s64 session, u32 index, u32 modes)
{
    u64 all = cpu_count * WORKS * run.turns;
    u64 events = (index + 1) & SYS_PMU_KERNEL ? all : 0;
    struct turns turns = turns_of(session, index);

    // A busy host ends turns late, and all that is late is made up for in the long run only.
    bench_range(events - events / 4, events + all / 4, turns.events, "  larx, %s: events",
                mode_names[index]);
    bench_range(100 / modes / 3, 100 / modes * 2, turns.least_part, "    sampled, percent");
    bench_range(100 / modes / 3, 100 / modes * 2, turns.most_part, "    at most");
    bench_range(2, UINT64_MAX, turns.fewest, "    turns");
}

// Events that want one counter more than can count them. Of each turn of the loop the kernel's larx
// is known.
static void check_turns(void)
{
    struct sys_sampling sampling = {.flags = SYS_SAMPLING_PRECISE};
    u32 places = (u32)__builtin_popcountl(model_machine()->counters[MODEL_LARX]);

    if (places != 1) {
        bench_note("larx can be counted by %u counters: no conflict to be had", places);
        return;
    }
    for (u32 i = 0; i < MODES; i++)
        sampling.events[sampling.event_count++] = (struct sys_sampled_event){
            .event = SYS_PMU_MODEL + MODEL_LARX, .filter = i + 1, .period = TURNS_PERIOD};
    run.turns = 2000000;
    run.flags = 0; // interrupts stay on: they end turns
    s64 session = sys_sampling_start(&sampling, NULL, 0);
    bench_exact(0, refusal(session), "events that exclude each other take turns");
    for (u32 i = 0; i < WORKS; i++)
        work_all();
    sys_sampling_stop(session);
    for (u32 i = 0; i < MODES; i++)
        check_mode(session, i, MODES);
}

// ---- refusals ----------------------------------------------------------------------------------

static void check_refusals(void)
{
    static const struct sys_sampled_event good = {
        .event = SYS_PMU_MODEL + MODEL_LARX, .filter = BOTH, .period = 1000};
    static const u64 periods[] = {0, 1, 999, SYS_PERIOD_MAX + 1UL, 1UL << 63, UINT64_MAX};
    struct sys_sampling sampling = {.event_count = 1, .events = {good}};
    struct bench_tally tally = {0};

    for (u32 i = 0; i < ARRAY_SIZE(periods); i++) {
        sampling.events[0].period = periods[i];
        bench_compare(&tally, refusal(E_INVAL), refusal(sys_sampling_start(&sampling, NULL, 0)));
    }
    sampling.events[0] = good;
    sampling.events[0].event = SYS_PMU_MODEL + MODEL_EVENTS;
    bench_compare(&tally, refusal(E_NOTSUP), refusal(sys_sampling_start(&sampling, NULL, 0)));
    sampling.events[0] = good;
    sampling.flags = SYS_SAMPLING_PRECISE;
    sampling.events[0].period = SYS_PRECISE_PERIOD_MIN - 1;
    bench_compare(&tally, refusal(E_INVAL), refusal(sys_sampling_start(&sampling, NULL, 0)));
    bench_tally_row(&tally, "absurd thresholds, no such event: refused");
    s64 session = start_one(MODEL_LARX, BOTH, 1000, 0);
    bench_exact(refusal(E_BUSY), refusal(start_one(MODEL_STCX, BOTH, 1000, 0)),
                "a second session is refused");
    sys_sampling_stop(session);
}

void model_check_events(void)
{
    static const u64 limits[][2] = {
        {20000, 1003}, {100000, 1003}, {500000, 10007}, {2000000, 100003}};

    if (work_objects_create(run.coids, cpu_count) != 0) {
        bench_exact(0, 1, "objects that could not be created");
        return;
    }
    for (u32 i = 0; i < ARRAY_SIZE(limits); i++) {
        u64 turns = limits[i][0] * BENCH_CODE_FACTOR, period = limits[i][1] * BENCH_CODE_FACTOR;
        events_sample(turns, period, SYS_SAMPLING_PRECISE);
        events_sample(turns, period, 0);
    }
    check_change();
    check_phase();
    check_drained();
    check_nested();
    check_filters();
    check_both_units();
    check_turns();
    check_refusals();
    work_objects_destroy(run.coids, cpu_count);
}
