// SPDX-License-Identifier: MIT
// One CPU's engine that samples, all the time or in turns, beside sessions that count.
#include "engine_harness.h"

#include <math.h>
#include <orrery/errors.h>
#include <pmu/sample_buffer.h>
#include <pmu/sampling_request.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The last place samples, when it is open.
#define SAMPLES (PMU_CLAIMS - 1)
static struct pmu_sampled sampled[SYS_SAMPLING_EVENTS];
static struct sample_buffer buffers[SYS_SAMPLING_EVENTS];

// Samples loads in the kernel, and stores in user code.
static void open_sampling(u64 period)
{
    struct sampling_session *session = &sessions[SAMPLES];
    offer.counters[MODEL_LOADS] = 0xc1;
    offer.counters[MODEL_STORES] = 0x22;
    *session = (struct sampling_session){.open = true, .tally = {.sampled = sampled}};
    session->plan.claim =
        (struct pmu_claim){.request = {.items = 2,
                                       .sets = 1,
                                       .share = {1},
                                       .item = {{.event = MODEL_LOADS,
                                                 .filter = MODEL_KERNEL,
                                                 .source = 1,
                                                 .counters = offer.counters[MODEL_LOADS]},
                                                {.event = MODEL_STORES,
                                                 .filter = MODEL_USER,
                                                 .source = 2,
                                                 .counters = offer.counters[MODEL_STORES]}}},
                           .steady = true};
    for (u32 i = 0; i < 2; i++)
        sampled[i] =
            (struct pmu_sampled){.period = period, .flags = MODEL_INTERRUPT, .buffer = &buffers[i]};
}

static u64 overflows(u32 index)
{
    return sampled[index].overflows_before +
           (sampled[index].overflows != NULL ? *sampled[index].overflows : 0);
}

static u32 sampling_counter(u32 item)
{
    return pmu_view_counter(&engine.plan->view[SAMPLES], item);
}

static void sampling_goes_on_beside_counting(void **state)
{
    (void)state;
    open_sampling(1000);
    assert_int_equal(change(false), 0);
    u64 rounds = run_and_tick(1000);
    assert_int_equal(overflows(0), 3 * rounds / 1000);
    assert_ptr_equal(unit.counters[sampling_counter(0)].buffer, &buffers[0]);
    assert_ptr_equal(unit.counters[sampling_counter(1)].buffer, &buffers[1]);
    // The same events are counted, by the same counters; and all others in turn.
    add_two();
    open_session(0);
    assert_int_equal(change(false), 0);
    assert_int_equal(sampling_counter(0),
                     pmu_view_counter(&engine.plan->view[0], sessions[0].plan.place[0]));
    u64 counted = run_and_tick(1000);
    counting.item_count = 0;
    add_many();
    open_session(1);
    assert_int_equal(change(true), 0);
    assert_true(groups() > 1);
    counted += run_and_tick(2000);
    sessions[1].open = false;
    assert_int_equal(change(false), 0);
    rounds += counted;
    assert_int_equal(overflows(0), 3 * rounds / 1000);
    assert_int_equal(overflows(1), MODEL_STORES * rounds / 1000);
    // It ends, and counting goes on.
    sessions[SAMPLES].open = false;
    assert_int_equal(change(false), 0);
    counted += run_and_tick(100);
    assert_int_equal(overflows(0), 3 * rounds / 1000);
    assert_null(sampled[0].overflows);
    for (u32 i = 0; i < MODEL_COUNTERS; i++)
        assert_null(unit.counters[i].buffer);
    end();
    check_exact(0, counted);
}

static void another_period_begins_anew(void **state)
{
    (void)state;
    open_sampling(1000);
    add_two();
    open_session(0);
    assert_int_equal(change(false), 0);
    u64 rounds = run_and_tick(100);
    u64 before = overflows(0), other = overflows(1);
    sampled[0].period = 700;
    assert_int_equal(change(false), 0);
    u64 more = run_and_tick(100);
    assert_int_equal(overflows(0), before + 3 * more / 700);
    assert_int_equal(overflows(1), MODEL_STORES * (rounds + more) / 1000);
    assert_true(overflows(1) > other);
    sessions[SAMPLES].open = false;
    end();
    assert_null(sampled[0].overflows);
    check_exact(0, rounds + more);
}

// All CPUs have one plan, and this one has no part in what samples elsewhere.
static void what_samples_on_other_cpus_is_counted_here(void **state)
{
    (void)state;
    open_sampling(1000);
    sessions[SAMPLES].elsewhere = true;
    add_two();
    open_session(0);
    assert_int_equal(change(false), 0);
    u64 rounds = run_and_tick(100);
    for (u32 i = 0; i < MODEL_COUNTERS; i++)
        assert_int_equal(unit.counters[i].period, 0);
    end();
    assert_int_equal(overflows(0) + overflows(1), 0);
    check_exact(0, rounds);
}

// Sampling would begin the counter anew under the hands of who reads it: it takes another.
static void what_programs_read_is_not_sampled(void **state)
{
    (void)state;
    counting.flags = SYS_PMU_READABLE;
    add_two();
    offer.counters[MODEL_STORES] = 0x36;
    assert_int_equal(begin(), 0);
    u32 loads = pmu_view_counter(&engine.plan->view[0], sessions[0].plan.place[0]);
    u64 rounds = run_and_tick(10);
    open_sampling(1000);
    assert_int_equal(change(false), 0);
    assert_int_not_equal(sampling_counter(0), loads);
    rounds += run_and_tick(10);
    sessions[SAMPLES].open = false;
    assert_int_equal(change(false), 0);
    rounds += run_and_tick(10);
    assert_int_equal(unit.counters[loads].value, 3 * rounds);
    end();
    check_exact(0, rounds);
}

// ---- in turns ----------------------------------------------------------------------------------

#define TURNS_PERIOD 1500

static const u32 many[] = {MODEL_LARX,   MODEL_STCX,  MODEL_LOADS,
                           MODEL_STORES, MODEL_TAKEN, MODEL_L2_MISS};
static struct sampling_plan in_turns;

// More events than fit, in both modes and in user mode.
static void open_sampling_in_turns(void)
{
    struct sampling_session *session = &sessions[SAMPLES];
    struct sys_sampling wanted = {0};
    char message[128];

    for (u32 i = 0; i < 2 * ARRAY_SIZE(many); i++)
        wanted.events[wanted.event_count++] = (struct sys_sampled_event){
            .event = SYS_PMU_MODEL + many[i / 2],
            .filter = i % 2 == 0 ? SYS_PMU_USER : SYS_PMU_USER | SYS_PMU_KERNEL,
            .period = TURNS_PERIOD};
    assert_int_equal(sampling_plan_make(&wanted, &offer, 1, &in_turns, message, sizeof(message)),
                     0);
    assert_false(in_turns.claim.steady);
    in_turns.claim.slice = SLICE;
    u32 items = in_turns.claim.request.items;
    *session = (struct sampling_session){.open = true, .plan.claim = in_turns.claim};
    session->tally = (struct pmu_tally){.sampled = sampled,
                                        .sums = aligned_alloc(16, PMU_MULTIPLEX_BYTES(items))};
    pmu_multiplex_begin(session->tally.sums, items);
    for (u32 i = 0; i < wanted.event_count; i++)
        sampled[i] = (struct pmu_sampled){
            .period = TURNS_PERIOD, .flags = MODEL_INTERRUPT | MODEL_PHASE, .buffer = &buffers[i]};
}

// Overflows times the period, by the part of the time in which each was sampled, are what there
// was; what was counted beside says the same.
static void check_samples(u64 rounds)
{
    for (u32 i = 0; i < 2 * ARRAY_SIZE(many); i++) {
        u32 kernel = i % 2 == 1 && many[i / 2] == MODEL_LOADS ? 3 : 0;
        double truth = (double)(rounds * (many[i / 2] + kernel));
        struct pmu_estimate found;
        pmu_multiplex_read(sessions[SAMPLES].tally.sums, in_turns.item[i], &found);
        double scale = (double)found.time / (double)found.measured;
        double estimate = (double)overflows(i) * TURNS_PERIOD * scale;
        double chance = 3 * sqrt((double)overflows(i)) * TURNS_PERIOD * scale;
        assert_true(found.measured > 0 && overflows(i) > 0);
        assert_true(fabs(estimate - truth) <= chance + truth / 50);
        assert_true(fabs((double)found.count - truth) <= (double)found.error + truth / 50);
    }
}

static void check_owners(void)
{
    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++) {
        const struct pmu_sampled *owner = engine.owner[counter];
        if (owner == NULL)
            continue;
        u32 label = MODEL_LABEL_OF(unit.counters[counter].flags);
        assert_ptr_equal(unit.counters[counter].buffer, owner->buffer);
        assert_ptr_equal(&sampled[PMU_LABEL_SOURCE(label) - 1], owner);
        assert_int_equal(PMU_LABEL_TURN(label), owner->turn);
        assert_int_equal(owner->buffer->turn, owner->turn);
    }
}

static void more_events_than_fit_take_turns(void **state)
{
    (void)state;
    open_sampling_in_turns();
    assert_int_equal(change(true), 0);
    assert_true(groups() > 1);
    u64 rounds = 0;
    u8 turn = sampled[0].turn;
    bool turned = false;
    for (u32 i = 0; i < 100; i++) {
        rounds += run_and_tick(100);
        check_owners();
        turned |= sampled[0].turn != turn;
    }
    assert_true(turned);
    sessions[SAMPLES].open = false;
    end();
    for (u32 i = 0; i < 2 * ARRAY_SIZE(many); i++)
        assert_null(sampled[i].overflows);
    check_samples(rounds);
}

// Who has counted all the time takes turns with it if their events exclude each other, else not.
static void sampling_in_turns_goes_on_beside_counting(void **state)
{
    (void)state;
    add(MODEL_LARX, SYS_PMU_USER);
    add(MODEL_TAKEN, SYS_PMU_KERNEL | SYS_PMU_USER);
    assert_int_equal(begin(), 0);
    run_and_tick(10);
    open_session(0);
    open_sampling_in_turns();
    assert_int_equal(change(true), 0);
    u64 rounds = run_and_tick(12000);
    end();
    check_estimates(0, rounds);
    check_samples(rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sampling_goes_on_beside_counting),
        TEST(another_period_begins_anew),
        TEST(what_samples_on_other_cpus_is_counted_here),
        TEST(what_programs_read_is_not_sampled),
        TEST(more_events_than_fit_take_turns),
        TEST(sampling_in_turns_goes_on_beside_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
