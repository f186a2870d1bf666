// SPDX-License-Identifier: MIT
// Checks of the model unit beside its counts: every counter, filters, tags, writes,
// changes under load, refusals.
#include "model_checks.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <workloads/work.h>

#include "bench.h"
#include "bench/model_commands.h"

#define TURNS 1000
#define SWITCHES 40 // of what is counted, by each CPU but the first
#define VALUE 0x123456789aUL
#define AROUND 1000 // instructions of reading all totals, around a window
#define RESTARTS 400
#define PHASE_PERIOD 10000 // longer than a window

static bool can_count(u32 event, u32 counter)
{
    return (model_machine()->counters[event] >> counter & 1) != 0;
}

// Programs the calling CPU's one counter and lets it count: commands refused.
static u64 count_one(u64 counter, u64 event, u64 flags)
{
    const struct model_program program = {.counter = counter, .event = event, .flags = flags};

    return (u64)(model_program(&program) != 0) + (u64)(model_enable(1UL << counter) != 0);
}

static u64 stop_all(void)
{
    return model_enable(0) != 0;
}

// ---- every counter ------------------------------------------------------------------------------

struct single {
    const struct model_case *one;
    u32 event, counter;
    u64 found[ORRERY_MAX_CPUS];
};

static void begin_single(struct bench_worker *worker)
{
    const struct single *single = worker->argument;

    worker->result = count_one(single->counter, single->event, MODEL_KERNEL);
}

static void run_single(struct bench_worker *worker)
{
    struct single *single = worker->argument;
    u64 counts[MODEL_COUNTERS];

    model_window(single->one, TURNS, counts);
    single->found[worker->cpu] = counts[single->counter];
}

static void end_single(struct bench_worker *worker)
{
    worker->result = stop_all();
}

static u64 expected(const struct model_case *one, u32 event)
{
    u64 window = 0;

    if (event == MODEL_INSTRUCTIONS)
        window = MODEL_WINDOW_INSTRUCTIONS;
    else if (event == MODEL_LOADS)
        window = MODEL_WINDOW_LOADS;
    else if (event == MODEL_STORES)
        window = MODEL_WINDOW_STORES;
    return TURNS * one->each[event] + (u64)(s64)one->once[event] + window;
}

static void check_single(struct single *single, struct bench_tally *tally)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];

    bench_on_cpus(bench_all_cpus(), begin_single, single, workers);
    bench_on_cpus(bench_all_cpus(), run_single, single, workers);
    bench_on_cpus(bench_all_cpus(), end_single, single, workers);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        bench_compare(tally, expected(single->one, single->event), single->found[cpu]);
}

// The case that has the event in every turn, and a count that is known.
static const struct model_case *case_with(const struct model_case cases[], u32 count, u32 event)
{
    for (u32 i = 0; i < count; i++)
        if (cases[i].each[event] != 0 && cases[i].adjust == NULL)
            return &cases[i];
    return NULL;
}

void model_check_counters(const struct model_case cases[], u32 count)
{
    struct bench_tally tally = {0};

    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        struct single single = {.one = case_with(cases, count, event), .event = event};
        for (u32 counter = 0; counter < MODEL_COUNTERS && single.one != NULL; counter++) {
            single.counter = counter;
            if (can_count(event, counter))
                check_single(&single, &tally);
        }
    }
    bench_tally_row(&tally, "each event alone on each of its counters");
}

// ---- filters, tags, writes ----------------------------------------------------------------------

static u32 counter_of(u32 event)
{
    return (u32)__builtin_ctzl(model_machine()->counters[event]);
}

// Instructions of a window that are counted with these flags.
static u64 filtered(const struct model_case *one, u64 flags)
{
    u32 counter = counter_of(MODEL_INSTRUCTIONS);
    u64 counts[MODEL_COUNTERS] = {0};

    if (count_one(counter, MODEL_INSTRUCTIONS, flags) != 0)
        return UINT64_MAX;
    model_window(one, TURNS, counts);
    stop_all();
    return counts[counter];
}

static void check_totals(const struct model_case *one)
{
    u64 before[MODEL_EVENTS][2], after[MODEL_EVENTS][2], counts[MODEL_COUNTERS];
    u32 counter = counter_of(MODEL_INSTRUCTIONS);
    u64 all = 2 * expected(one, MODEL_INSTRUCTIONS); // the warm-up is in totals, too

    // Hard-masked: what else would happen meanwhile is the host's affair.
    u64 msr = hard_mask();
    u64 refused = count_one(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL);
    model_totals(before);
    model_window(one, TURNS, counts);
    model_totals(after);
    refused += stop_all();
    hard_mask_restore(msr);
    bench_exact(0, refused, "  commands refused");
    bench_range(all, all + AROUND, after[MODEL_INSTRUCTIONS][0] - before[MODEL_INSTRUCTIONS][0],
                "totals: kernel instructions around a window");
    bench_exact(0, after[MODEL_INSTRUCTIONS][1] - before[MODEL_INSTRUCTIONS][1],
                "totals: user instructions");
}

static void check_write(const struct model_case *one)
{
    u32 counter = counter_of(MODEL_INSTRUCTIONS);
    u64 counts[MODEL_COUNTERS], values[MODEL_COUNTERS] = {0};

    count_one(counter, MODEL_INSTRUCTIONS, MODEL_USER);
    model_write(counter, VALUE);
    model_window(one, TURNS, counts);
    model_read(values);
    stop_all();
    bench_exact(VALUE, values[counter], "a value written stays, with nothing to count");
    count_one(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL);
    stop_all();
    model_read(values);
    model_window(one, TURNS, counts);
    bench_exact(0, counts[counter], "a stopped counter stands still");
}

// The counter that goes on meanwhile keeps the unit's instrumentation.
static u64 restart(u32 counter, u32 other)
{
    const struct model_program program = {.counter = counter,
                                          .event = MODEL_INSTRUCTIONS,
                                          .flags = MODEL_KERNEL | MODEL_PHASE,
                                          .period = PHASE_PERIOD};
    u64 refused = model_enable(1UL << other) != 0;

    refused += model_program(&program) != 0;
    return refused + (model_enable(1UL << other | 1UL << counter) != 0);
}

// A counter begins anew before a period has passed, again and again. By chance it overflows as
// often as its events make. The deviation of that is at most half an overflow a time.
static void check_phase(const struct model_case *one)
{
    u64 counters = model_machine()->counters[MODEL_INSTRUCTIONS];
    u32 counter = counter_of(MODEL_INSTRUCTIONS);
    u32 other = (u32)__builtin_ctzl(counters & (counters - 1));
    u64 refused = count_one(other, MODEL_INSTRUCTIONS, MODEL_KERNEL), overflows = 0, events = 0;
    u64 counts[MODEL_COUNTERS], values[MODEL_COUNTERS] = {0};

    for (u32 i = 0; i < RESTARTS; i++) {
        refused += restart(counter, other);
        model_window(one, TURNS, counts);
        refused += model_read(values) != 0;
        overflows += *model_overflow_count(counter);
        events += values[counter];
    }
    refused += stop_all();
    u64 chance = 4 * 10 * PHASE_PERIOD; // four deviations of sqrt(RESTARTS / 4)
    bench_exact(0, refused, "  commands refused");
    bench_range(events - chance, events + chance, overflows * PHASE_PERIOD,
                "overflows of one that begins anew, times 10000");
}

// Nanoseconds of a window, and what its counter found.
static u64 time_of(const struct model_case *one, u64 turns, u32 counter, u64 *counted)
{
    u64 counts[MODEL_COUNTERS];

    u64 msr = hard_mask();
    u64 begin = timebase();
    model_window(one, turns, counts);
    u64 end = timebase();
    hard_mask_restore(msr);
    *counted = counts[counter];
    return work_ticks_to_ns(end - begin);
}

// Where an instruction takes a nanosecond the clock is a witness. Two lengths: their difference
// does not contain what is around.
static void check_time(const struct model_case *one)
{
    u32 counter = counter_of(MODEL_INSTRUCTIONS);
    u64 few, many;

    if (!work_time_is_exact())
        return;
    count_one(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL);
    u64 short_time = time_of(one, TURNS, counter, &few);
    u64 long_time = time_of(one, 10 * TURNS, counter, &many);
    stop_all();
    u64 expected = 2 * (many - few); // the warm-up takes its time, too
    bench_range(expected - 4, expected + 4, long_time - short_time, // two ticks of the time base
                "nanoseconds of so many instructions");
}

struct unrest {
    const struct model_case *one;
    u32 counter;
    u64 busy;    // CPUs that still change what they count
    u64 windows; // that were counted meanwhile
    u64 wrong;
};

// The first CPU counts instructions all the time; the others have everything switched, on and off.
static void change(struct unrest *unrest, u32 cpu)
{
    for (u32 i = 0; i < SWITCHES; i++) {
        u32 event = (i + cpu) % MODEL_EVENTS;
        if (model_machine()->counters[event] == 0)
            continue;
        count_one(counter_of(event), event, MODEL_KERNEL);
        stop_all();
    }
    __atomic_fetch_sub(&unrest->busy, 1, __ATOMIC_ACQ_REL);
}

static void count_through(struct unrest *unrest)
{
    u64 counts[MODEL_COUNTERS];

    count_one(unrest->counter, MODEL_INSTRUCTIONS, MODEL_KERNEL);
    do {
        model_window(unrest->one, TURNS, counts);
        unrest->wrong += counts[unrest->counter] != expected(unrest->one, MODEL_INSTRUCTIONS);
        unrest->windows++;
    } while (__atomic_load_n(&unrest->busy, __ATOMIC_ACQUIRE) != 0);
    stop_all();
}

static void unrest_here(struct bench_worker *worker)
{
    struct unrest *unrest = worker->argument;

    if (worker->cpu == 0)
        count_through(unrest);
    else
        change(unrest, worker->cpu);
}

static void check_unrest(const struct model_case *one)
{
    struct bench_worker workers[ORRERY_MAX_CPUS];
    struct unrest unrest = {
        .one = one, .counter = counter_of(MODEL_INSTRUCTIONS), .busy = cpu_count - 1};

    if (cpu_count == 1)
        return;
    bench_on_cpus(bench_all_cpus(), unrest_here, &unrest, workers);
    bench_exact(0, unrest.wrong, "wrong counts of %lu while others switch", unrest.windows);
}

void model_check_filters(const struct model_case *one)
{
    u64 instructions = expected(one, MODEL_INSTRUCTIONS);
    u64 tag = model_slot()->tag;

    bench_exact(instructions, filtered(one, MODEL_KERNEL), "filters: kernel");
    bench_exact(instructions, filtered(one, MODEL_KERNEL | MODEL_USER), "  both");
    bench_exact(0, filtered(one, MODEL_USER), "  user");
    model_slot()->tag = tag | MODEL_TAG_EXCLUDED;
    bench_exact(0, filtered(one, MODEL_KERNEL), "  kernel, excluded by the tag");
    bench_exact(instructions, filtered(one, MODEL_KERNEL | MODEL_TAGGED), "  and counted anyway");
    model_slot()->tag = tag;
    check_totals(one);
    check_write(one);
    check_phase(one);
    check_time(one);
    check_unrest(one);
}

// ---- refusals -----------------------------------------------------------------------------------

// The result word after a program that must not be taken.
static u64 refusal(u64 counter, u64 event, u64 flags, u64 period, u64 random)
{
    const struct model_program program = {counter, event, flags, period, random};

    model_program(&program);
    return model_slot()->result;
}

static u64 bad_ring(u64 address, u64 records)
{
    struct model_ring *ring = &model_slot()->ring;
    const struct model_ring before = *ring;
    u64 counter = counter_of(MODEL_INSTRUCTIONS);

    refusal(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL | MODEL_PRECISE, 1000, 0);
    *ring = (struct model_ring){.address = address, .records = records};
    model_enable(1UL << counter);
    u64 result = model_slot()->result;
    *ring = before;
    stop_all();
    return result;
}

static void check_rings(struct bench_tally *tally)
{
    bench_compare(tally, MODEL_BAD_RING, bad_ring(~0UL << 12, 8));
    bench_compare(tally, MODEL_BAD_RING, bad_ring(0x1000008, 8));
    bench_compare(tally, MODEL_BAD_RING, bad_ring(0x1000000, 7));
    bench_compare(tally, MODEL_BAD_RING, bad_ring(0x1000000, 4));
    bench_compare(tally, MODEL_BAD_RING, bad_ring(0x1000000, 0));
    bench_compare(tally, MODEL_BAD_RING, bad_ring(0x1000000, 131072));
}

static void check_periods(struct bench_tally *tally, u64 counter)
{
    static const u64 periods[][2] = {{1, 0},
                                     {MODEL_PERIOD_MIN - 1, 0},
                                     {MODEL_PERIOD_MAX + 1, 0},
                                     {1UL << 63, 0},
                                     {~0UL, 0},
                                     {1024, 10},
                                     {1UL << 30, MODEL_RANDOM_MAX + 1},
                                     {0, 4},
                                     {1000, ~0UL}};

    for (u32 i = 0; i < ARRAY_SIZE(periods); i++)
        bench_compare(
            tally, MODEL_BAD_PERIOD,
            refusal(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL, periods[i][0], periods[i][1]));
}

// Events on counters that cannot count them.
static void check_restrictions(struct bench_tally *tally)
{
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        bool there = (model_machine()->events >> event & 1) != 0;
        for (u32 counter = 0; counter < MODEL_COUNTERS; counter++)
            if (!there || !can_count(event, counter))
                bench_compare(tally, there ? MODEL_BAD_COUNTER : MODEL_BAD_EVENT,
                              refusal(counter, event, MODEL_KERNEL, 0, 0));
    }
}

void model_check_commands(void)
{
    struct bench_tally tally = {0}, restrictions = {0};
    u64 counter = counter_of(MODEL_INSTRUCTIONS), values[MODEL_COUNTERS] = {0};

    count_one(counter, MODEL_INSTRUCTIONS, MODEL_USER);
    model_write(counter, VALUE);
    check_restrictions(&restrictions);
    bench_compare(&tally, MODEL_BAD_COMMAND, model_nonsense());
    bench_compare(&tally, MODEL_BAD_EVENT, refusal(counter, MODEL_EVENTS, MODEL_KERNEL, 0, 0));
    bench_compare(&tally, MODEL_BAD_EVENT, refusal(counter, ~0UL, MODEL_KERNEL, 0, 0));
    bench_compare(&tally, MODEL_BAD_COUNTER,
                  refusal(MODEL_COUNTERS, MODEL_INSTRUCTIONS, MODEL_KERNEL, 0, 0));
    bench_compare(&tally, MODEL_BAD_COUNTER, refusal(~0UL, MODEL_INSTRUCTIONS, MODEL_KERNEL, 0, 0));
    bench_compare(&tally, MODEL_BAD_FLAGS, refusal(counter, MODEL_INSTRUCTIONS, 0, 0, 0));
    bench_compare(&tally, MODEL_BAD_FLAGS,
                  refusal(counter, MODEL_INSTRUCTIONS, MODEL_TAGGED, 0, 0));
    bench_compare(&tally, MODEL_BAD_FLAGS,
                  refusal(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL | (MODEL_FLAGS + 1), 0, 0));
    bench_compare(&tally, MODEL_BAD_PERIOD,
                  refusal(counter, MODEL_INSTRUCTIONS, MODEL_KERNEL | MODEL_PHASE, 0, 0));
    check_periods(&tally, counter);
    bench_compare(&tally, MODEL_BAD_COUNTER, model_write(MODEL_COUNTERS, 0));
    bench_compare(&tally, (u64)E_INVAL, (u64)model_enable(1UL << MODEL_COUNTERS));
    model_read(values);
    bench_tally_row(&restrictions, "events on counters that cannot count them: refused");
    bench_tally_row(&tally, "bad arguments: refused");
    bench_exact(VALUE, values[counter], "  and change nothing");
    struct bench_tally rings = {0};
    check_rings(&rings);
    bench_tally_row(&rings, "bad rings: refused");
    stop_all();
}
