// SPDX-License-Identifier: MIT
// One CPU's counters. What runs between reading a group's counters and the next group's start is
// counted in neither slice; where the same group goes on, nothing is left out.
#include <orrery/errors.h>
#include <pmu/counting_cpu.h>
#include <pmu/platform.h>
#include <string.h>

#define SLICE_ITEM 0

static const struct pmu_group *group_of(const struct counting_cpu *cpu, u32 group)
{
    return &cpu->plan->allocation.group[group];
}

// ---- counters ----------------------------------------------------------------------------------

static u32 slice_counter(const struct pmu_group *group)
{
    u32 counter = 0;
    while (group->item[counter] != SLICE_ITEM)
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

static s64 program(const struct counting_cpu *cpu, u32 counter, u32 item)
{
    const struct pmu_item *what = &cpu->plan->request.item[item];
    const struct model_program program = {
        .counter = counter, .event = what->event, .flags = what->filter};
    return model_program(&program);
}

// What is not programmed yet as the group wants it, given the group before.
static s64 program_changed(const struct counting_cpu *cpu, const struct pmu_group *to,
                           const u8 before[PMU_COUNTERS])
{
    s64 error = 0;
    for (u32 counter = 0; counter < MODEL_COUNTERS && error == 0; counter++) {
        if (to->item[counter] != PMU_NO_ITEM && to->item[counter] != before[counter])
            error = program(cpu, counter, to->item[counter]);
    }
    return error;
}

// Changes to another group. Something counts at every moment, by the counter of slices at least:
// were the last counter of the machine stopped, the unit would take its instrumentation down, and
// all code be translated again.
static s64 change_group(struct counting_cpu *cpu, u32 next)
{
    const struct pmu_group *to = group_of(cpu, next);
    u8 before[PMU_COUNTERS];
    u32 anchor = slice_counter(to);
    s64 error = 0;

    memset(before, PMU_NO_ITEM, sizeof(before));
    if (cpu->group != COUNTING_NO_GROUP)
        memcpy(before, group_of(cpu, cpu->group)->item, sizeof(before));
    if (before[anchor] != SLICE_ITEM) {
        error = program(cpu, anchor, SLICE_ITEM);
        before[anchor] = SLICE_ITEM;
        if (error == 0)
            error = model_enable(1UL << anchor);
    }
    if (error == 0)
        error = program_changed(cpu, to, before);
    if (error == 0)
        error = model_enable(counters_of(to));
    cpu->group = error == 0 ? next : COUNTING_NO_GROUP;
    return error;
}

// ---- slices ------------------------------------------------------------------------------------

static s64 begin_slice(struct counting_cpu *cpu, u32 group)
{
    s64 error = cpu->group == group ? 0 : change_group(cpu, group);
    if (error == 0)
        error = model_read(cpu->begin);
    if (error == 0 && cpu->tasks != NULL)
        task_table_go_on(cpu->tasks, cpu->begin);
    return error;
}

static void give_up(struct counting_cpu *cpu, s64 error)
{
    cpu->error = error;
    model_enable(0);
}

static u64 slice_time(const struct counting_cpu *cpu, const u64 values[PMU_COUNTERS])
{
    u32 counter = slice_counter(group_of(cpu, cpu->group));
    return values[counter] - cpu->begin[counter];
}

static s64 add_slice(struct counting_cpu *cpu, const u64 values[PMU_COUNTERS])
{
    u64 counts[PMU_COUNTERS];
    for (u32 counter = 0; counter < PMU_COUNTERS; counter++)
        counts[counter] = values[counter] - cpu->begin[counter];
    const struct pmu_group *group = group_of(cpu, cpu->group);
    s64 error = pmu_multiplex_slice(cpu->multiplex, group, slice_time(cpu, values), counts);
    if (error == 0 && cpu->tasks != NULL)
        task_table_slice(cpu->tasks, group, slice_counter(group), values);
    return error;
}

// Ends the slice at these values, and begins the next one.
static void next_slice(struct counting_cpu *cpu, const u64 values[PMU_COUNTERS])
{
    s64 error = add_slice(cpu, values);
    if (error != 0) {
        give_up(cpu, error);
        return;
    }
    pmu_rotation_ran(&cpu->rotation, cpu->group, slice_time(cpu, values));
    u32 next = pmu_rotation_next(&cpu->rotation);
    if (next == cpu->group) {
        memcpy(cpu->begin, values, sizeof(cpu->begin));
        return;
    }
    error = begin_slice(cpu, next);
    if (error != 0)
        give_up(cpu, error);
}

// ---- the header's functions --------------------------------------------------------------------

void counting_cpu_prepare(struct counting_cpu *cpu, const struct counting_plan *plan)
{
    s64 error = 0;
    *cpu = (struct counting_cpu){.plan = plan, .group = COUNTING_NO_GROUP};
    for (u32 group = 0; group < plan->allocation.groups && error == 0; group++)
        error = change_group(cpu, group);
}

s64 counting_cpu_begin(struct counting_cpu *cpu, const struct counting_plan *plan,
                       struct pmu_multiplex *multiplex, u64 seed)
{
    u32 prepared = cpu->plan == plan ? cpu->group : COUNTING_NO_GROUP;
    *cpu = (struct counting_cpu){.plan = plan, .multiplex = multiplex, .group = prepared};
    pmu_multiplex_begin(multiplex, plan->request.items);
    pmu_rotation_begin(&cpu->rotation, &plan->allocation, plan->slice, seed);
    cpu->error = begin_slice(cpu, pmu_rotation_next(&cpu->rotation));
    return cpu->error;
}

void counting_cpu_follow(struct counting_cpu *cpu, struct task_table *tasks,
                         const struct pmu_task *who)
{
    cpu->tasks = tasks;
    task_table_begin(tasks, who, cpu->begin);
}

bool counting_cpu_switch(struct counting_cpu *cpu, const struct pmu_task *who,
                         u64 values[PMU_COUNTERS])
{
    if (cpu->plan == NULL || cpu->error != 0 || model_read(values) != 0)
        return false;
    if (cpu->tasks != NULL)
        task_table_switch(cpu->tasks, who, values);
    return true;
}

void counting_cpu_tick(struct counting_cpu *cpu)
{
    u64 values[PMU_COUNTERS] = {0};
    if (cpu->error != 0 || model_read(values) != 0)
        return;
    if (slice_time(cpu, values) >= cpu->plan->slice)
        next_slice(cpu, values);
}

void counting_cpu_settle(struct counting_cpu *cpu)
{
    u64 values[PMU_COUNTERS] = {0};
    if (cpu->error == 0 && model_read(values) == 0)
        next_slice(cpu, values);
}

void counting_cpu_end(struct counting_cpu *cpu)
{
    u64 values[PMU_COUNTERS] = {0};
    if (cpu->error == 0 && cpu->group != COUNTING_NO_GROUP && cpu->multiplex != NULL &&
        model_read(values) == 0)
        cpu->error = add_slice(cpu, values);
    model_enable(0);
    cpu->group = COUNTING_NO_GROUP;
    cpu->plan = NULL;
}
