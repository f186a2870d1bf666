// SPDX-License-Identifier: MIT
// All of a machine's events multiplexed over simulated programs whose true counts are known. For
// every event, at least 95 of 100 intervals must hold the truth within the error that is given with
// the estimate. That error must not be much larger than what it is for.
#include <math.h>
#include "estimate.h"
#include <pmu/rotate.h>
#include "model/models/machine.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define INTERVALS 100
#define ROUNDS 100 // slices of each group, in an interval
#define STEP 1000  // cycles: a program's rates change from step to step only
#define SLICE 20   // steps

struct program {
    const char *name;
    double scale; // of all rates
    u32 late;     // a slice may last so many steps longer
    void (*next)(u64 step, double factor[MODEL_EVENTS]);
};

static u64 random_state;
static u64 round_steps;

static double draw(void)
{
    u64 z = random_state += 0x9e3779b97f4a7c15UL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebUL;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static u64 poisson(double mean)
{
    if (mean > 60) {
        double sum = 0;
        for (int i = 0; i < 12; i++)
            sum += draw();
        return (u64)fmax(0, mean + (sum - 6) * sqrt(mean) + 0.5);
    }
    u64 count = 0;
    for (double p = draw(), limit = exp(-mean); p > limit; p *= draw())
        count++;
    return count;
}

// ---- programs ----------------------------------------------------------------------------------

static void steady(u64 step, double factor[MODEL_EVENTS])
{
    (void)step;
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        factor[event] = 1;
}

// Each phase has rates of its own; they last from a tenth of a slice to some ten rounds.
static void phases(u64 step, double factor[MODEL_EVENTS])
{
    static u64 until;
    if (step != 0 && step < until)
        return;
    until = step + (u64)(2 * exp(draw() * 6));
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        factor[event] = 3 * draw() * draw();
}

// Half of each round it does something else: an order of slices that never changed would count
// every event in one half only.
static void in_step(u64 step, double factor[MODEL_EVENTS])
{
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        factor[event] = step % round_steps < round_steps / 2 ? 2 : 0.2;
}

static void bursts(u64 step, double factor[MODEL_EVENTS])
{
    bool burst = draw() < 1.0 / 30;
    (void)step;
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        factor[event] = burst ? 25 : 0.1;
}

static const struct program programs[] = {{"steady", 1, 5, steady},
                                          {"phases", 1, 5, phases},
                                          {"in step", 1, 0, in_step},
                                          {"bursts", 0.2, 5, bursts},
                                          {"rare", 1e-3, 5, steady}};

// Events in a step.
static const double rates[MODEL_EVENTS] = {
    [MODEL_INSTRUCTIONS] = 700, [MODEL_LARX] = 9,       [MODEL_STCX] = 8,
    [MODEL_STCX_FAILED] = 1,    [MODEL_BRANCHES] = 110, [MODEL_TAKEN] = 60,
    [MODEL_MISPREDICTED] = 7,   [MODEL_ITLB_MISS] = 1,  [MODEL_DTLB_MISS] = 2,
    [MODEL_L1I_MISS] = 3,       [MODEL_L1D_MISS] = 9,   [MODEL_L2_MISS] = 2,
    [MODEL_LOADS] = 200,        [MODEL_STORES] = 90,
};

// ---- the machine -------------------------------------------------------------------------------

static struct pmu_request request;
static struct pmu_allocation allocation;
static struct pmu_rotation rotation;
static char memory[PMU_MULTIPLEX_BYTES(MODEL_EVENTS)] __attribute__((aligned(16)));
static struct pmu_multiplex *const multiplex = (struct pmu_multiplex *)memory;

// Every event is the item of its own number; cycles measure the slices.
static void set_up_machine(const char *path, u64 seed)
{
    struct machine machine;
    struct pmu_conflict conflict;
    char error[200];
    if (!machine_load(path, &machine, error, sizeof(error)))
        fail_msg("%s", error);
    request = (struct pmu_request){
        .items = MODEL_EVENTS, .sets = 1, .groups = PMU_GROUPS_MAX, .share = {1}};
    for (u32 event = 0; event < MODEL_EVENTS; event++)
        request.item[event] = (struct pmu_item){
            .event = (u8)event,
            .filter = MODEL_KERNEL | MODEL_USER,
            .set = event == MODEL_CYCLES ? PMU_EVERY_GROUP : 0,
            .counters = (u32)machine.counters[event],
        };
    assert_int_equal(pmu_allocate(&request, &allocation, &conflict), 0);
    pmu_rotation_begin(&rotation, &allocation, SLICE * STEP, seed);
    round_steps = allocation.groups * SLICE;
    random_state = seed;
}

static u64 now; // in steps
static u64 truth[MODEL_EVENTS];
static double factors[MODEL_EVENTS];

static void run_slice(const struct program *program, u64 counted[MODEL_EVENTS])
{
    u64 steps = SLICE + (u64)(draw() * (program->late + 1));
    memset(counted, 0, MODEL_EVENTS * sizeof(counted[0]));
    for (u64 step = 0; step < steps; step++) {
        program->next(now++, factors);
        for (u32 event = 0; event < MODEL_EVENTS; event++)
            counted[event] += event == MODEL_CYCLES
                                  ? STEP
                                  : poisson(rates[event] * program->scale * factors[event]);
    }
}

static void run_interval(const struct program *program)
{
    pmu_multiplex_begin(multiplex, MODEL_EVENTS);
    memset(truth, 0, sizeof(truth));
    for (u32 slice = 0; slice < ROUNDS * allocation.groups; slice++) {
        u32 group = pmu_rotation_next(&rotation);
        const u8 *item = allocation.group[group].item;
        u64 counted[MODEL_EVENTS];
        u64 counts[PMU_COUNTERS];
        run_slice(program, counted);
        for (u32 counter = 0; counter < PMU_COUNTERS; counter++)
            counts[counter] = item[counter] == PMU_NO_ITEM ? 0 : counted[item[counter]];
        for (u32 event = 0; event < MODEL_EVENTS; event++)
            truth[event] += counted[event];
        assert_int_equal(
            pmu_multiplex_slice(multiplex, &allocation.group[group], counted[MODEL_CYCLES], counts),
            0);
        pmu_rotation_ran(&rotation, group, counted[MODEL_CYCLES]);
    }
}

// ---- what is expected of it --------------------------------------------------------------------

struct tally {
    u32 inside;
    double square; // of what estimates were wrong by
    double claimed, count;
};

static void add_interval(struct tally tally[MODEL_EVENTS])
{
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        struct pmu_estimate is;
        pmu_multiplex_read(multiplex, event, &is);
        double wrong = (double)is.count - (double)truth[event];
        tally[event].inside += fabs(wrong) <= (double)is.error;
        tally[event].square += wrong * wrong / INTERVALS;
        tally[event].claimed += (double)is.error / INTERVALS;
        tally[event].count += (double)truth[event] / INTERVALS;
        if (is.measured == is.time)
            assert_true(is.error == 0 && is.count == truth[event]);
    }
}

static void check_program(const struct program *program)
{
    struct tally tally[MODEL_EVENTS] = {0};
    u32 least = INTERVALS;
    double widest = 0;
    now = 0;
    for (u32 interval = 0; interval < INTERVALS; interval++) {
        run_interval(program);
        add_interval(tally);
    }
    for (u32 event = 0; event < MODEL_EVENTS; event++) {
        const struct tally *of = &tally[event];
        if (of->inside < 95)
            fail_msg("%s, %s: %u of %u intervals hold the truth", program->name,
                     pmu_events[event].name, of->inside, INTERVALS);
        // A steady program's errors are independent: 99 % are within 2.6 deviations; in two groups,
        // where the worst case is double the variance, the claim is 3.7.
        if (program->next == steady && of->claimed > 6 * sqrt(of->square) + 20)
            fail_msg("%s, %s: claims ±%.0f, is wrong by %.0f", program->name,
                     pmu_events[event].name, of->claimed, sqrt(of->square));
        least = of->inside < least ? of->inside : least;
        if (of->claimed / of->count > widest)
            widest = of->claimed / of->count;
    }
    print_message("%u groups, %s: at least %u of %u inside, errors up to %.1f %%\n",
                  allocation.groups, program->name, least, INTERVALS, 100 * widest);
}

static void check_machine(const char *path)
{
    for (u32 i = 0; i < ARRAY_SIZE(programs); i++) {
        set_up_machine(path, i + 1);
        check_program(&programs[i]);
    }
}

static void two_groups_hold_the_truth_in_95_of_100_intervals(void **state)
{
    (void)state;
    check_machine("pmu/model/machines/970fx.conf");
}

static void four_groups_hold_the_truth_in_95_of_100_intervals(void **state)
{
    (void)state;
    check_machine("pmu/model/machines/power9.conf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_hold_the_truth_in_95_of_100_intervals),
        cmocka_unit_test(four_groups_hold_the_truth_in_95_of_100_intervals),
    };
    return cmocka_run_group_tests_name("pmu_multiplex_workload", tests, NULL, NULL);
}
