// SPDX-License-Identifier: MIT
// One CPU's counters. Code that runs between the end of a turn and the start of the next is in
// neither slice. Where a counter continues, nothing is left out.
#include <orrery/errors.h>
#include <pmu/engine.h>
#include <pmu/platform.h>
#include <pmu/sample_buffer.h>
#include <string.h>

static const struct pmu_group *group_of(const struct pmu_engine *engine, u32 group)
{
    return &engine->plan->allocation.group[group];
}

static u32 counter_of(const struct pmu_group *group, u32 item)
{
    u32 counter = 0;
    while (counter < PMU_COUNTERS && group->item[counter] != item)
        counter++;
    return counter;
}

static u64 counters_of(const struct pmu_group *group)
{
    u64 mask = 0;
    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++)
        mask |= (u64)(group->item[counter] != PMU_NO_ITEM) << counter;
    return mask;
}

// ---- counters ----------------------------------------------------------------------------------

// An event that is sampled on other CPUs only is just counted here.
static struct pmu_sampled *source_of(const struct pmu_engine *engine, const struct pmu_item *item)
{
    bool samples = engine->sampled != NULL && item->source != 0 && item->source != PMU_UNSAMPLED;
    return samples ? &engine->sampled[item->source - 1] : NULL;
}

static struct model_program program_of(const struct pmu_engine *engine, u32 group, u32 counter)
{
    const struct pmu_item *item =
        &engine->plan->request.item[group_of(engine, group)->item[counter]];
    const struct pmu_sampled none = {0}, *sampled = source_of(engine, item);
    u64 label = sampled != NULL ? MODEL_LABEL(PMU_LABEL(item->source, sampled->turn)) : 0;
    sampled = sampled != NULL ? sampled : &none;
    return (struct model_program){.counter = counter,
                                  .event = item->event,
                                  .flags = item->filter | sampled->flags | label,
                                  .period = sampled->period,
                                  .random = sampled->random};
}

// Programs a counter that does not count now.
static s64 program(struct pmu_engine *engine, u32 group, u32 counter)
{
    const struct pmu_group *to = group_of(engine, group);
    struct pmu_sampled *owner = source_of(engine, &engine->plan->request.item[to->item[counter]]);

    if (owner != NULL && (owner->flags & MODEL_PHASE) != 0)
        owner->turn++;
    engine->program[counter] = program_of(engine, group, counter);
    engine->fresh |= 1UL << counter;
    s64 error = model_program(&engine->program[counter]);
    engine->owner[counter] = owner;
    if (owner != NULL && owner->buffer != NULL)
        owner->buffer->turn = owner->turn;
    if (owner != NULL) {
        model_deliver(counter, owner->buffer);
        __atomic_store_n(&owner->overflows, model_overflow_count(counter), __ATOMIC_RELAXED);
    }
    return error;
}

static s64 enable(struct pmu_engine *engine, u64 counters)
{
    s64 error = model_enable(counters);
    engine->enabled = error == 0 ? counters : 0;
    return error;
}

// Ends sampling by counters that do not count now.
static void give_back(struct pmu_engine *engine, u64 counters)
{
    for (; counters != 0; counters &= counters - 1) {
        u32 counter = (u32)__builtin_ctzl(counters);
        struct pmu_sampled *owner = engine->owner[counter];
        model_deliver(counter, NULL);
        owner->overflows_before += __atomic_load_n(owner->overflows, __ATOMIC_RELAXED);
        __atomic_store_n(&owner->overflows, NULL, __ATOMIC_RELAXED);
        engine->owner[counter] = NULL;
    }
}

static u64 counters_owned(const struct pmu_engine *engine)
{
    u64 mask = 0;
    for (u32 counter = 0; counter < MODEL_COUNTERS; counter++)
        mask |= (u64)(engine->owner[counter] != NULL) << counter;
    return mask;
}

// Returns the counters of the group that already count what they should.
static u64 counters_kept(const struct pmu_engine *engine, u32 group)
{
    u64 kept = engine->enabled & counters_of(group_of(engine, group));
    for (u64 left = kept; left != 0; left &= left - 1) {
        u32 counter = (u32)__builtin_ctzl(left);
        const struct model_program is = program_of(engine, group, counter);
        if (memcmp(&is, &engine->program[counter], sizeof(is)) != 0)
            kept &= ~(1UL << counter);
    }
    return kept;
}

// Keeps something counting at every moment. If the machine's last counter stopped, the unit would
// remove its instrumentation, and all code would be translated again.
static s64 give_turn(struct pmu_engine *engine, u32 group)
{
    u64 wanted = counters_of(group_of(engine, group));
    u64 kept = counters_kept(engine, group);
    u64 owned = counters_owned(engine) & ~kept;
    s64 error = owned != 0 ? enable(engine, engine->enabled & ~owned) : 0;

    give_back(engine, owned);
    if (error == 0 && kept == 0 && wanted != 0) {
        u64 idle = wanted & ~engine->enabled;
        u32 first = (u32)__builtin_ctzl(idle != 0 ? idle : wanted);
        kept = 1UL << first;
        error = program(engine, group, first);
        if (error == 0)
            error = enable(engine, kept);
    }
    for (u64 left = wanted & ~kept; left != 0 && error == 0; left &= left - 1)
        error = program(engine, group, (u32)__builtin_ctzl(left));
    if (error == 0 && (wanted != engine->enabled || wanted != kept))
        error = enable(engine, wanted);
    engine->group = group;
    return error;
}

// Tallies that have not begun yet fail alone: whoever brought them takes them away, and the others
// continue.
static void give_up(struct pmu_engine *engine, s64 error)
{
    bool new = false;

    engine->error = error;
    enable(engine, 0);
    give_back(engine, counters_owned(engine));
    for (u32 i = 0; i < PMU_CLAIMS; i++)
        new |= engine->tally[i] != NULL && !engine->tally[i]->begun;
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        struct pmu_tally *tally = engine->tally[i];
        if (tally != NULL && tally->error == 0 && (!new || !tally->begun))
            tally->error = error;
    }
}

// ---- slices ------------------------------------------------------------------------------------

static const struct pmu_group *view_of(const struct pmu_engine *engine, u32 claim)
{
    return &engine->plan->view[claim].group[engine->group];
}

static void add_slice(struct pmu_tally *tally, const struct pmu_group *view,
                      const u64 values[PMU_COUNTERS])
{
    u32 slices = counter_of(view, 0);
    u64 counts[PMU_COUNTERS];

    for (u32 counter = 0; counter < PMU_COUNTERS; counter++)
        counts[counter] = values[counter] - tally->begin[counter];
    tally->error = pmu_multiplex_slice(tally->sums, view, counts[slices], counts);
    if (tally->error == 0 && tally->tasks != NULL)
        task_table_slice(tally->tasks, view, slices, values);
}

static void end_slices(struct pmu_engine *engine, const u64 values[PMU_COUNTERS])
{
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        struct pmu_tally *tally = engine->tally[i];
        if (tally == NULL || tally->error != 0 || tally->sums == NULL)
            continue;
        add_slice(tally, view_of(engine, i), values);
        memcpy(tally->begin, values, sizeof(tally->begin));
    }
    engine->fresh = 0;
}

// The slices of tallies whose counters all continue have already begun.
static void begin_slice(struct pmu_tally *tally, const struct pmu_group *view,
                        const u64 values[PMU_COUNTERS], const struct pmu_task *who)
{
    memcpy(tally->begin, values, sizeof(tally->begin));
    for (u32 i = 0; i < PMU_COUNTERS && tally->sums != NULL; i++) {
        if (view->item[i] != PMU_NO_ITEM)
            tally->base[i] = values[i] - tally->sums->item[view->item[i]].count;
    }
    if (tally->tasks != NULL && tally->begun)
        task_table_go_on(tally->tasks, values);
    else if (tally->tasks != NULL)
        task_table_begin(tally->tasks, who, values);
    tally->begun = true;
}

static s64 begin_slices(struct pmu_engine *engine, const struct pmu_task *who)
{
    u64 values[PMU_COUNTERS] = {0};
    s64 error = model_read(values);

    for (u32 i = 0; i < PMU_CLAIMS && error == 0; i++) {
        struct pmu_tally *tally = engine->tally[i];
        if (tally != NULL && tally->error == 0 &&
            (!tally->begun || (counters_of(view_of(engine, i)) & engine->fresh) != 0))
            begin_slice(tally, view_of(engine, i), values, who);
    }
    if (engine->plan->slice_item != PMU_NO_ITEM)
        engine->turn =
            values[counter_of(group_of(engine, engine->group), engine->plan->slice_item)];
    return error;
}

static u64 turn_time(const struct pmu_engine *engine, const u64 values[PMU_COUNTERS])
{
    u32 counter = counter_of(group_of(engine, engine->group), engine->plan->slice_item);
    return values[counter] - engine->turn;
}

// Ends the turn at these values, and begins the next one.
static void next_turn(struct pmu_engine *engine, const u64 values[PMU_COUNTERS])
{
    u64 time = turn_time(engine, values);

    end_slices(engine, values);
    engine->turn += time;
    engine->turns++;
    if (engine->plan->allocation.groups == 1)
        return;
    pmu_rotation_ran(&engine->rotation, engine->group, time);
    u32 next = pmu_rotation_next(&engine->rotation);
    if (next == engine->group)
        return;
    s64 error = give_turn(engine, next);
    if (error == 0)
        error = begin_slices(engine, NULL);
    if (error != 0)
        give_up(engine, error);
}

// ---- the header's functions --------------------------------------------------------------------

static bool counts(const struct pmu_engine *engine)
{
    return engine->plan != NULL && engine->error == 0;
}

static s64 begin(struct pmu_engine *engine, bool prepare, u64 seed, const struct pmu_task *who)
{
    const struct pmu_plan *plan = engine->plan;
    s64 error = 0;

    for (u32 group = 0; prepare && group < plan->allocation.groups && error == 0; group++)
        error = give_turn(engine, group);
    pmu_rotation_begin(&engine->rotation, &plan->allocation, plan->slice, seed);
    if (error == 0)
        error = give_turn(engine, pmu_rotation_next(&engine->rotation));
    return error != 0 ? error : begin_slices(engine, who);
}

s64 pmu_engine_change(struct pmu_engine *engine, const struct pmu_plan *plan,
                      struct pmu_tally *const tallies[PMU_CLAIMS], bool prepare, u64 seed,
                      const struct pmu_task *who)
{
    u64 values[PMU_COUNTERS] = {0};

    if (counts(engine) && model_read(values) == 0)
        end_slices(engine, values);
    engine->plan = plan;
    engine->turns++;
    engine->error = 0;
    memcpy(engine->tally, tallies, sizeof(engine->tally));
    engine->sampled = NULL;
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        if (tallies[i] != NULL && tallies[i]->sampled != NULL)
            engine->sampled = tallies[i]->sampled;
    }
    s64 error = plan != NULL ? begin(engine, prepare, seed, who) : enable(engine, 0);
    if (plan == NULL)
        give_back(engine, counters_owned(engine));
    if (error != 0)
        give_up(engine, error);
    return error;
}

bool pmu_engine_switch(struct pmu_engine *engine, const struct pmu_task *who,
                       u64 values[PMU_COUNTERS])
{
    if (!counts(engine) || model_read(values) != 0)
        return false;
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        struct pmu_tally *tally = engine->tally[i];
        if (tally != NULL && tally->error == 0 && tally->tasks != NULL)
            task_table_switch(tally->tasks, who, values);
    }
    return true;
}

void pmu_engine_tick(struct pmu_engine *engine)
{
    u64 values[PMU_COUNTERS] = {0};
    if (counts(engine) && model_read(values) == 0 &&
        turn_time(engine, values) >= engine->plan->slice)
        next_turn(engine, values);
}

void pmu_engine_flush(struct pmu_engine *engine)
{
    u64 values[PMU_COUNTERS] = {0};
    if (counts(engine) && model_read(values) == 0)
        next_turn(engine, values);
}
