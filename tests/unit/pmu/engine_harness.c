// SPDX-License-Identifier: MIT
#include "engine_harness.h"

#include <orrery/errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct test_unit unit;
struct pmu_offer offer;
struct sys_pmu_counting counting;
struct pmu_engine engine;
struct sampling_session sessions[PMU_CLAIMS];
static struct pmu_plan plans[2];
static u32 changes;

static void count(u32 counter, u64 number)
{
    unit.counters[counter].value += number;
    for (; unit.counters[counter].period != 0 && number >= unit.counters[counter].left;
         unit.counters[counter].overflows++) {
        number -= unit.counters[counter].left;
        unit.counters[counter].left = unit.counters[counter].period;
    }
    unit.counters[counter].left -= number;
}

static void happen(u32 event, bool user, u64 number)
{
    unit.totals[event][user] += number;
    for (u32 i = 0; i < MODEL_COUNTERS; i++) {
        u64 mode = user ? MODEL_USER : MODEL_KERNEL;
        if (unit.counters[i].enabled && unit.counters[i].event == event &&
            (unit.counters[i].flags & mode) != 0)
            count(i, number);
    }
}

u64 enabled(void)
{
    u64 mask = 0;
    for (u32 i = 0; i < MODEL_COUNTERS; i++)
        mask |= (u64)unit.counters[i].enabled << i;
    return mask;
}

static bool fails(void)
{
    happen(MODEL_INSTRUCTIONS, false, COMMAND_INSTRUCTIONS);
    return ++unit.commands == unit.failing;
}

static u64 draw(void)
{
    unit.random = unit.random * 6364136223846793005u + 1442695040888963407u;
    return unit.random >> 33;
}

s64 model_program(const struct model_program *program)
{
    if (fails())
        return E_INVAL;
    assert_true(program->counter < MODEL_COUNTERS);
    assert_true((offer.counters[program->event] >> program->counter & 1) != 0);
    assert_int_equal(program->period != 0, (program->flags & MODEL_INTERRUPT) != 0);
    unit.counters[program->counter].period = program->period;
    unit.counters[program->counter].left =
        program->flags & MODEL_PHASE ? 1 + draw() % program->period : program->period;
    unit.counters[program->counter].overflows = 0;
    unit.counters[program->counter].programmed = true;
    unit.counters[program->counter].enabled = false;
    unit.counters[program->counter].event = program->event;
    unit.counters[program->counter].flags = program->flags;
    unit.counters[program->counter].value = 0;
    assert_true(!unit.must_count || enabled() != 0);
    return 0;
}

s64 model_enable(u64 counters)
{
    if (fails())
        return E_TIMEOUT;
    for (u32 i = 0; i < MODEL_COUNTERS; i++) {
        unit.counters[i].enabled = (counters >> i & 1) != 0;
        assert_true(!unit.counters[i].enabled || unit.counters[i].programmed);
    }
    assert_true(!unit.must_count || counters != 0);
    unit.must_count = counters != 0 && unit.failing == 0;
    return 0;
}

s64 model_read(u64 values[MODEL_COUNTERS])
{
    if (fails())
        return E_NOTSUP;
    for (u32 i = 0; i < MODEL_COUNTERS; i++)
        values[i] = unit.counters[i].value;
    return 0;
}

void model_deliver(u32 counter, struct sample_buffer *buffer)
{
    assert_false(unit.counters[counter].enabled);
    unit.counters[counter].buffer = buffer;
}

const u64 *model_overflow_count(u32 counter)
{
    return &unit.counters[counter].overflows;
}

// ---- requests ----------------------------------------------------------------------------------

// The counter of slices is not the same one in every group.
int set_up(void **state)
{
    (void)state;
    memset(&unit, 0, sizeof(unit));
    memset(&offer, 0, sizeof(offer));
    memset(&engine, 0, sizeof(engine));
    memset(sessions, 0, sizeof(sessions));
    changes = 0;
    offer.counters[MODEL_INSTRUCTIONS] = 0x99;
    offer.counters[MODEL_LARX] = 0x08;
    offer.counters[MODEL_STCX] = 0x18;
    offer.counters[MODEL_LOADS] = 0x81;
    offer.counters[MODEL_STORES] = 0x90;
    offer.counters[MODEL_TAKEN] = 0x11;
    offer.counters[MODEL_L2_MISS] = 0x81;
    counting = (struct sys_pmu_counting){
        .set_count = 1, .slice_event = MODEL_INSTRUCTIONS, .shares = {1}, .slice = SLICE};
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    for (u32 i = 0; i < PMU_CLAIMS; i++)
        free(sessions[i].tally.sums);
    return 0;
}

void add(u32 event, u32 filter)
{
    counting.items[counting.item_count++] = (struct sys_pmu_item){.event = event, .filter = filter};
}

void add_many(void)
{
    static const u32 events[] = {MODEL_LARX,   MODEL_STCX,  MODEL_LOADS,
                                 MODEL_STORES, MODEL_TAKEN, MODEL_L2_MISS};
    for (u32 i = 0; i < ARRAY_SIZE(events); i++) {
        add(events[i], SYS_PMU_USER);
        add(events[i], SYS_PMU_KERNEL | SYS_PMU_USER);
    }
}

s64 change(bool prepare)
{
    const struct pmu_claim *claims[PMU_CLAIMS] = {NULL};
    struct pmu_tally *tallies[PMU_CLAIMS] = {NULL};
    struct pmu_conflict conflict;
    bool any = false;

    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        if (!sessions[i].open)
            continue;
        claims[i] = &sessions[i].plan.claim;
        if (!sessions[i].elsewhere)
            tallies[i] = &sessions[i].tally;
        any = true;
    }
    struct pmu_plan *next = &plans[++changes % 2];
    unit.must_count &= any;
    if (any)
        assert_int_equal(pmu_share(claims, engine.plan, next, &conflict), 0);
    return pmu_engine_change(&engine, any ? next : NULL, tallies, prepare, changes, NULL);
}

// A session that counts what has been added.
void open_session(u32 place)
{
    struct sampling_session *session = &sessions[place];
    char message[128];
    assert_int_equal(
        counting_plan_make(&counting, &offer, 1, &session->plan, message, sizeof(message)), 0);
    u32 items = session->plan.claim.request.items;
    free(session->tally.sums);
    session->tally = (struct pmu_tally){.sums = aligned_alloc(16, PMU_MULTIPLEX_BYTES(items))};
    assert_non_null(session->tally.sums);
    pmu_multiplex_begin(session->tally.sums, items);
    session->open = true;
}

s64 begin(void)
{
    open_session(0);
    return change(false);
}

void end(void)
{
    struct pmu_tally *none[PMU_CLAIMS] = {NULL};
    unit.must_count = false;
    pmu_engine_change(&engine, NULL, none, false, 0, NULL);
    assert_int_equal(enabled(), 0);
}

struct pmu_estimate estimate_of(u32 place, u32 item)
{
    struct pmu_estimate found;
    pmu_multiplex_read(sessions[place].tally.sums, sessions[place].plan.place[item], &found);
    return found;
}

u32 groups(void)
{
    return engine.plan->allocation.groups;
}

// A program that does the same all the time.
void run(u64 rounds)
{
    for (; rounds != 0; rounds--) {
        happen(MODEL_INSTRUCTIONS, true, 100);
        for (u32 event = MODEL_LARX; event < MODEL_EVENTS; event++)
            happen(event, true, event);
        happen(MODEL_INSTRUCTIONS, false, 10);
        happen(MODEL_LOADS, false, 3);
    }
}

void check_estimates(u32 place, u64 rounds)
{
    for (u32 i = 0; i < counting.item_count; i++) {
        const struct sys_pmu_item *item = &counting.items[i];
        u64 kernel = item->filter & SYS_PMU_KERNEL && item->event == MODEL_LOADS ? 3 : 0;
        u64 truth = rounds * (item->event + kernel);
        struct pmu_estimate found = estimate_of(place, i);
        u64 off = found.count > truth ? found.count - truth : truth - found.count;
        assert_true(found.measured > 0 && found.measured < found.time);
        // Commands within a slice are its time: a hundredth.
        assert_true(off <= found.error + truth / 50);
        assert_true(found.error < truth / 10);
    }
}

u64 run_and_tick(u32 times)
{
    u64 rounds = 0;
    for (u32 i = 0; i < times; i++) {
        run(20 + i % 7 * 10);
        rounds += 20 + i % 7 * 10;
        pmu_engine_tick(&engine);
    }
    return rounds;
}

void check_exact(u32 place, u64 rounds)
{
    struct pmu_estimate loads = estimate_of(place, 0), stores = estimate_of(place, 1);
    assert_int_equal(loads.count, rounds * 3);
    assert_int_equal(stores.count, rounds * MODEL_STORES);
    assert_int_equal(loads.error, 0);
    assert_int_equal(stores.error, 0);
    assert_int_equal(loads.measured, loads.time);
}

void add_two(void)
{
    offer.counters[MODEL_LOADS] = 0xc1;
    offer.counters[MODEL_STORES] = 0x22;
    counting.item_count = 0;
    add(MODEL_LOADS, SYS_PMU_KERNEL);
    add(MODEL_STORES, SYS_PMU_USER);
}
