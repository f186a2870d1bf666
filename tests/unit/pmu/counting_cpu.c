// SPDX-License-Identifier: MIT
// One CPU's counting, on a unit of the test's own: counters that are views of totals, each command
// itself some instructions, and complaints about all that the model unit would refuse
// or pay dearly for.
#include <orrery/errors.h>
#include <pmu/platform.h>
#include <pmu/counting_cpu.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMMAND_INSTRUCTIONS 60
#define SLICE 10000

static struct {
    u64 totals[MODEL_EVENTS][2]; // kernel, user
    struct {
        bool programmed, enabled;
        u64 event, flags, value;
    } counters[MODEL_COUNTERS];
    bool must_count;       // at least one counter, at every moment
    u64 commands, failing; // number of the command that fails, 0: none
} unit;

static struct pmu_offer offer;
static struct sys_pmu_counting counting;
static struct counting_plan plan;
static struct counting_cpu cpu;
static struct pmu_multiplex *sums;

static void happen(u32 event, bool user, u64 number)
{
    unit.totals[event][user] += number;
    for (u32 i = 0; i < MODEL_COUNTERS; i++) {
        u64 mode = user ? MODEL_USER : MODEL_KERNEL;
        if (unit.counters[i].enabled && unit.counters[i].event == event &&
            (unit.counters[i].flags & mode) != 0)
            unit.counters[i].value += number;
    }
}

static u64 enabled(void)
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

s64 model_program(const struct model_program *program)
{
    if (fails())
        return E_INVAL;
    assert_true(program->counter < MODEL_COUNTERS);
    assert_true((offer.counters[program->event] >> program->counter & 1) != 0);
    assert_int_equal(program->period, 0);
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

// ---- requests ----------------------------------------------------------------------------------

// The counter of slices is not the same one in every group.
static int set_up(void **state)
{
    (void)state;
    memset(&unit, 0, sizeof(unit));
    memset(&offer, 0, sizeof(offer));
    memset(&cpu, 0, sizeof(cpu));
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

static int tear_down(void **state)
{
    (void)state;
    free(sums);
    sums = NULL;
    return 0;
}

static void add(u32 event, u32 filter)
{
    counting.items[counting.item_count++] = (struct sys_pmu_item){.event = event, .filter = filter};
}

static void add_many(void)
{
    static const u32 events[] = {MODEL_LARX,   MODEL_STCX,  MODEL_LOADS,
                                 MODEL_STORES, MODEL_TAKEN, MODEL_L2_MISS};
    for (u32 i = 0; i < ARRAY_SIZE(events); i++) {
        add(events[i], SYS_PMU_USER);
        add(events[i], SYS_PMU_KERNEL | SYS_PMU_USER);
    }
}

static s64 begin(void)
{
    char message[128];
    assert_int_equal(counting_plan_make(&counting, &offer, 1, &plan, message, sizeof(message)), 0);
    sums = aligned_alloc(16, PMU_MULTIPLEX_BYTES(plan.request.items));
    assert_non_null(sums);
    return counting_cpu_begin(&cpu, &plan, sums, 1);
}

static void end(void)
{
    unit.must_count = false;
    counting_cpu_end(&cpu);
    assert_int_equal(enabled(), 0);
}

static struct pmu_estimate estimate(u32 item)
{
    struct pmu_estimate found;
    pmu_multiplex_read(sums, plan.place[item], &found);
    return found;
}

// A program that does the same all the time.
static void run(u64 rounds)
{
    for (; rounds != 0; rounds--) {
        happen(MODEL_INSTRUCTIONS, true, 100);
        for (u32 event = MODEL_LARX; event < MODEL_EVENTS; event++)
            happen(event, true, event);
        happen(MODEL_INSTRUCTIONS, false, 10);
        happen(MODEL_LOADS, false, 3);
    }
}

// ---- tests -------------------------------------------------------------------------------------

static void one_group_counts_everything(void **state)
{
    (void)state;
    add(MODEL_INSTRUCTIONS, SYS_PMU_USER);
    add(MODEL_LOADS, SYS_PMU_KERNEL);
    add(MODEL_STCX, SYS_PMU_USER);
    assert_int_equal(begin(), 0);
    assert_int_equal(plan.allocation.groups, 1);
    u64 before = unit.totals[MODEL_INSTRUCTIONS][1];
    for (u32 i = 0; i < 1000; i++) {
        run(i);
        counting_cpu_settle(&cpu);
    }
    end();
    run(100);
    assert_int_equal(estimate(0).count, 100 * 999 * 500 + before);
    assert_int_equal(estimate(1).count, 3 * 999 * 500);
    assert_int_equal(estimate(2).count, MODEL_STCX * 999 * 500);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(estimate(i).error, 0);
        assert_int_equal(estimate(i).measured, estimate(i).time);
    }
    // All instructions, those of the commands too, but the ones at the ends.
    assert_in_range(estimate(0).time, 110 * 999 * 500,
                    110 * 999 * 500 + 1001 * COMMAND_INSTRUCTIONS);
}

static void slices_last_as_long_as_they_shall(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    assert_true(plan.allocation.groups > 2);
    run(SLICE / 110 / 2);
    counting_cpu_tick(&cpu);
    assert_int_equal(sums->time, 0);
    run(SLICE / 110);
    counting_cpu_tick(&cpu);
    assert_in_range(sums->time, SLICE, 2 * SLICE);
    end();
}

static void check_estimates(u64 rounds)
{
    for (u32 i = 0; i < counting.item_count; i++) {
        const struct sys_pmu_item *item = &counting.items[i];
        u64 kernel = item->filter & SYS_PMU_KERNEL && item->event == MODEL_LOADS ? 3 : 0;
        u64 truth = rounds * (item->event + kernel);
        struct pmu_estimate found = estimate(i);
        u64 off = found.count > truth ? found.count - truth : truth - found.count;
        assert_true(found.measured > 0 && found.measured < found.time);
        // Commands within a slice are its time: a hundredth.
        assert_true(off <= found.error + truth / 50);
        assert_true(found.error < truth / 10);
    }
}

static void groups_take_turns_and_something_counts_always(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    u64 rounds = 0;
    for (u32 i = 0; i < 2000; i++) {
        run(20 + i % 7 * 10);
        rounds += 20 + i % 7 * 10;
        counting_cpu_tick(&cpu);
    }
    end();
    check_estimates(rounds);
}

static void a_prepared_cpu_goes_on_with_what_it_has(void **state)
{
    (void)state;
    add_many();
    assert_int_equal(begin(), 0);
    end();
    free(sums);
    counting_cpu_prepare(&cpu, &plan);
    assert_true(unit.must_count);
    sums = aligned_alloc(16, PMU_MULTIPLEX_BYTES(plan.request.items));
    assert_int_equal(counting_cpu_begin(&cpu, &plan, sums, 7), 0);
    run(1000);
    counting_cpu_settle(&cpu);
    end();
    assert_in_range(sums->time, 1000 * 110, 1000 * 110 + 10 * COMMAND_INSTRUCTIONS);
}

// Whichever command fails: the error is kept, nothing counts any more, and nothing else happens.
static void failures_end_the_counting(void **state)
{
    (void)state;
    u32 failed = 0;
    for (u64 failing = 1; failing < 200; failing++) {
        set_up(NULL);
        tear_down(NULL);
        add_many();
        unit.failing = failing;
        s64 error = begin();
        assert_int_equal(error, cpu.error);
        for (u32 i = 0; i < 30; i++) {
            run(200);
            counting_cpu_tick(&cpu);
        }
        if (cpu.error != 0) {
            failed++;
            u64 time = sums->time;
            run(1000);
            counting_cpu_settle(&cpu);
            assert_int_equal(sums->time, time);
        }
        end();
        assert_int_equal(enabled(), 0);
    }
    assert_true(failed > 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_group_counts_everything),
        TEST(slices_last_as_long_as_they_shall),
        TEST(groups_take_turns_and_something_counts_always),
        TEST(a_prepared_cpu_goes_on_with_what_it_has),
        TEST(failures_end_the_counting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
