// SPDX-License-Identifier: MIT
// The model unit (S000 §4.4): loops whose events are counted by hand, at several lengths, on all
// CPUs at once, and what its counters found. Exact in every mode, but where a case says by how much
// not (struct model_case).
#include "bench.h"

#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <string.h>

#include "benches.h"
#include "model_checks.h"
#include "model_contention.h"
#include "model_events.h"
#include "model_measure.h"
#include "model_metrics.h"
#include "model_records.h"
#include "model_sampling.h"
#include "model_walk.h"

#define WINDOW_ACCESSES 20                  // of the window itself: more than it has of any miss
#define RANDOM_FACTOR 6364136223846793005UL // Knuth's, for sequences modulo 2^64

// Of a turn. The branch that ends it is hinted as taken, and is not the last time.
#define TURN(n, branches, taken)                                                                   \
    [MODEL_INSTRUCTIONS] = (n), [MODEL_BRANCHES] = (branches), [MODEL_TAKEN] = (taken)
#define LAST [MODEL_TAKEN] = -1, [MODEL_MISPREDICTED] = 1

static const char *const event_names[MODEL_EVENTS] = {
    [MODEL_INSTRUCTIONS] = "instructions",
    [MODEL_CYCLES] = "cycles",
    [MODEL_LARX] = "larx",
    [MODEL_STCX] = "stcx",
    [MODEL_STCX_FAILED] = "stcx failed",
    [MODEL_BRANCHES] = "branches",
    [MODEL_TAKEN] = "taken",
    [MODEL_MISPREDICTED] = "mispredicted",
    [MODEL_ITLB_MISS] = "I-TLB misses",
    [MODEL_DTLB_MISS] = "D-TLB misses",
    [MODEL_L1I_MISS] = "L1I misses",
    [MODEL_L1D_MISS] = "L1D misses",
    [MODEL_L2_MISS] = "L2 misses",
    [MODEL_LOADS] = "loads",
    [MODEL_STORES] = "stores",
};

// One branch more, without a hint, which alternates: learnt in the warm-up but for
// what the history takes to fill.
static void alternating(const struct model_case *one, u64 turns, u64 low[], u64 high[])
{
    (void)one;
    (void)low;
    high[MODEL_MISPREDICTED] += turns / 20;
}

// Nothing can predict such a sequence better than by chance.
// Two branches a turn go wrong with probability 1/2.
static void random_branches(const struct model_case *one, u64 turns, u64 low[], u64 high[])
{
    u64 margin = bench_chance(turns / 2) + 1;

    (void)one;
    low[MODEL_MISPREDICTED] += turns - margin;
    high[MODEL_MISPREDICTED] += turns + margin;
    low[MODEL_CYCLES] = 0; // each group of counters was mispredicted in its own way
    high[MODEL_CYCLES] = UINT64_MAX;
}

// clang-format off
static const struct model_case loops[] = {
    {"empty loop", model_body_spin, .each = {TURN(2, 1, 1)}, .once = {LAST}},
    {"dependent adds", model_body_adds, .each = {TURN(9, 1, 1)}, .once = {LAST}, .ipc = true},
    {"1000 dependent adds", model_body_row, .each = {TURN(1001, 1, 1)}, .once = {LAST}, .ipc = true,
     .shorter = 10},
    {"calls and returns", model_body_calls, .each = {TURN(3, 1, 1)},
     .once = {LAST, [MODEL_INSTRUCTIONS] = 1}},
    {"loop on two pages", model_body_pages, .each = {TURN(4, 1, 1)},
     .once = {LAST, [MODEL_INSTRUCTIONS] = 1}},
    {"loads and stores", model_body_memory,
     .each = {TURN(13, 1, 1), [MODEL_LOADS] = 6, [MODEL_STORES] = 6}, .once = {LAST}},
    {"larx, stcx never", model_body_larx,
     .each = {TURN(2, 1, 1), [MODEL_LARX] = 1, [MODEL_LOADS] = 1}, .once = {LAST}},
    {"lock, stcx always", model_body_lock,
     .each = {TURN(4, 2, 1), [MODEL_LARX] = 1, [MODEL_STCX] = 1, [MODEL_LOADS] = 1,
              [MODEL_STORES] = 1}, .once = {LAST}},
    {"stcx failing every other time", model_body_failing,
     .each = {TURN(4, 1, 1), [MODEL_LARX] = 1, [MODEL_STCX] = 2, [MODEL_STCX_FAILED] = 1,
              [MODEL_LOADS] = 1, [MODEL_STORES] = 2}, .once = {LAST}},
    {"larx and stcx of all sizes", model_body_sizes,
     .each = {TURN(9, 1, 1), [MODEL_LARX] = 4, [MODEL_STCX] = 4, [MODEL_LOADS] = 4,
              [MODEL_STORES] = 4},
     .once = {LAST}},
    {"hints right", model_body_right,
     .each = {TURN(4, 3, 2)}, .once = {LAST}},
    {"hints wrong", model_body_wrong,
     .each = {TURN(4, 3, 2), [MODEL_MISPREDICTED] = 2}, .once = {LAST}},
    {"branch always taken", model_body_always,
     .each = {TURN(2, 2, 2)}, .once = {LAST}},
    {"branch taken every other time", model_body_alternate,
     .each = {TURN(8, 3, 2)}, .once = {LAST}, .adjust = alternating},
    {"branch taken at random", model_body_random, RANDOM_FACTOR, .each = {TURN(7, 3, 2)},
     .once = {LAST, [MODEL_INSTRUCTIONS] = 2, [MODEL_LOADS] = 1, [MODEL_STORES] = 1},
     .adjust = random_branches},
};
// clang-format on
_Static_assert(ARRAY_SIZE(loops) <= MODEL_CASES_MAX, "room for what is found");

static struct model_found found[ORRERY_MAX_CPUS];

// What the in-order cost model makes of the events that were counted.
static u64 cycles_of(const u64 events[])
{
    u64 cycles = 0;

    for (u32 event = 0; event < MODEL_EVENTS; event++)
        cycles += event != MODEL_CYCLES ? model_machine()->geometry.cost[event] * events[event] : 0;
    return cycles;
}

static u64 slack_cycles(const struct model_case *one)
{
    u64 cycles = 0;

    for (u32 event = 0; event < MODEL_EVENTS; event++)
        cycles += model_machine()->geometry.cost[event] * one->slack[event];
    return cycles;
}

static void expect(const struct model_case *one, u64 turns, const u64 events[], u64 low[],
                   u64 high[])
{
    const s64 window[MODEL_EVENTS] = {[MODEL_INSTRUCTIONS] = MODEL_WINDOW_INSTRUCTIONS,
                                      [MODEL_LOADS] = MODEL_WINDOW_LOADS,
                                      [MODEL_STORES] = MODEL_WINDOW_STORES};

    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        low[event] = turns * one->each[event] + (u64)(one->once[event] + window[event]);
        high[event] = low[event] + one->slack[event];
    }
    // From one group of counters to the next the events with slack may differ by it.
    u64 cycles = cycles_of(events), slack = slack_cycles(one);
    low[MODEL_CYCLES] = cycles > slack ? cycles - slack : 0;
    high[MODEL_CYCLES] = cycles + slack;
    if (one->adjust != NULL)
        one->adjust(one, turns, low, high);
}

// Does a row of its own make sense, or is it one of those that must be 0 (but for the window)?
static bool shown(const struct model_case *one, u32 event)
{
    return one->each[event] != 0 || one->slack[event] != 0 || one->once[event] > 0;
}

// The first mismatch of a row is told.
static void compare_range(struct bench_tally *tally, u32 event, u64 low, u64 high, u64 counted)
{
    bool right = low <= counted && counted <= high;

    bench_compare(tally, right ? counted : low, counted);
    if (!right && tally->mismatches == 1)
        bench_note("%s: %lu, not %lu..%lu", event_names[event], counted, low, high);
}

// One window: its events go to the tally of their row.
static void compare(const struct model_case *one, u64 turns, const u64 events[],
                    struct bench_tally rows[], struct bench_tally *rest)
{
    u64 low[MODEL_EVENTS], high[MODEL_EVENTS];

    expect(one, turns, events, low, high);
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        if ((model_machine()->events >> event & 1) == 0 || (one->unknown >> event & 1) != 0)
            continue;
        bool own = event == MODEL_CYCLES || shown(one, event);
        compare_range(own ? &rows[event] : rest, event, low[event], high[event], events[event]);
    }
}

static u64 thousandths(u64 part, u64 whole)
{
    return whole != 0 ? (1000 * part + whole / 2) / whole : 0;
}

// Instructions a thousand cycles, as the cost model has it by the events counted by hand.
static void report_ipc(const struct model_case *one, u32 number)
{
    u64 turns = model_turns(one, MODEL_LIMITS - 1), low[MODEL_EVENTS], high[MODEL_EVENTS];
    u64 least = 0, most = 0;

    expect(one, turns, found[0].events[number][MODEL_LIMITS - 1], low, high);
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        bool unknown = (one->unknown >> event & 1) != 0; // at most one a turn
        if (event == MODEL_CYCLES)
            continue;
        least += model_machine()->geometry.cost[event] * (unknown ? 0 : low[event]);
        most += model_machine()->geometry.cost[event] *
                (unknown ? turns + one->slack[event] + WINDOW_ACCESSES : high[event]);
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        const u64 *events = found[cpu].events[number][MODEL_LIMITS - 1];
        bench_range(thousandths(low[MODEL_INSTRUCTIONS], most),
                    thousandths(high[MODEL_INSTRUCTIONS], least),
                    thousandths(events[MODEL_INSTRUCTIONS], events[MODEL_CYCLES]),
                    "  IPC in thousandths, CPU %u", cpu);
    }
}

static void report(const struct model_case *one, u32 number)
{
    struct bench_tally rows[MODEL_EVENTS] = {0}, rest = {0};

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        for (u32 limit = 0; limit < MODEL_LIMITS; limit++)
            compare(one, model_turns(one, limit), found[cpu].events[number][limit], rows, &rest);
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        if (rows[event].comparisons != 0)
            bench_tally_row(&rows[event], "%s: %s", one->name, event_names[event]);
    bench_tally_row(&rest, "  all other events");
    if (one->ipc)
        report_ipc(one, number);
}

static void measure(const char *what, const struct model_case cases[], u32 count)
{
    u64 errors = 0;

    memset(found, 0, sizeof(found));
    model_measure(cases, count, found);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        errors += found[cpu].errors;
    bench_exact(0, errors, "%s: commands refused", what);
    for (u32 i = 0; i < count; i++)
        report(&cases[i], i);
}

static void walks(void)
{
    struct model_case cases[MODEL_WALKS_MAX];
    u32 count = model_walks_create(cases);

    if (count == 0) {
        bench_exact(0, 1, "walks: no memory for the pages");
        return;
    }
    measure("walks", cases, count);
    model_walks_destroy();
}

void bench_model(void)
{
    if (!model_present()) {
        bench_note(
            "skipped: this machine has no model unit (start it with scripts/qemu --pmu model)");
        return;
    }
    bench_note("machine %s: %lu counters, %lu CPUs", model_machine()->machine,
               (unsigned long)MODEL_COUNTERS, (unsigned long)model_machine()->cpus);
    measure("loops", loops, ARRAY_SIZE(loops));
    walks();
    model_check_counters(loops, ARRAY_SIZE(loops));
    model_check_contention();
    model_check_filters(&loops[1]);
    model_check_commands();
    model_check_records(&loops[0]);
    model_check_sampling();
    model_check_events();
    model_check_metrics();
}
