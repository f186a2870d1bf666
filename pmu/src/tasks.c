// SPDX-License-Identifier: MIT
// Tasks of one CPU, found by hashing and added up slice by slice.
#include <pmu/platform.h>
#include <pmu/tasks.h>
#include <string.h>

_Static_assert(sizeof(struct counted_task) % 16 == 0, "sums behind it are aligned");
_Static_assert(TASKS_MAX < TASK_SLOTS, "there is always a free slot");

static struct counted_task *task_at(const struct task_table *table, u32 index)
{
    return (struct counted_task *)((u64)table->memory + index * table->task_bytes);
}

static struct pmu_multiplex *sums_of(struct counted_task *task)
{
    return (struct pmu_multiplex *)(task + 1);
}

const struct counted_task *task_table_get(const struct task_table *table, u32 index)
{
    return task_at(table, index);
}

const struct pmu_multiplex *counted_task_sums(const struct counted_task *task)
{
    return (const struct pmu_multiplex *)(task + 1);
}

struct task_table *task_table_create(u32 items, bool by_thread)
{
    u64 task_bytes = sizeof(struct counted_task) + PMU_MULTIPLEX_BYTES(items);
    u64 room = TASKS_BYTES / task_bytes < TASKS_MAX ? TASKS_BYTES / task_bytes : TASKS_MAX;
    struct task_table *table = pmu_platform_alloc(sizeof(*table) + room * task_bytes);

    if (table == NULL)
        return NULL;
    memset(table, 0, sizeof(*table));
    table->task_bytes = task_bytes;
    table->items = items;
    table->room = (u32)room;
    table->by_thread = by_thread;
    return table;
}

void task_table_free(struct task_table *table)
{
    pmu_platform_free(table);
}

// ---- finding ------------------------------------------------------------------------------------

static void set_name(struct counted_task *task, const char *name)
{
    u32 length = 0;
    while (length + 1 < sizeof(task->name) && name[length] != 0) {
        task->name[length] = name[length];
        length++;
    }
    task->name[length] = 0;
}

static struct counted_task *task_add(struct task_table *table, const struct counted_task *like,
                                     const char *name)
{
    struct counted_task *task = task_at(table, table->count++);
    *task = *like;
    set_name(task, name);
    pmu_multiplex_begin(sums_of(task), table->items);
    return task;
}

// Returns the last place, which all share who find none.
static struct counted_task *others(struct task_table *table)
{
    const struct counted_task like = {.flags = SYS_PMU_TASK_OTHERS};
    if (table->count < table->room)
        task_add(table, &like, "others");
    return task_at(table, table->room - 1);
}

static const char *name_of(const struct task_table *table, const struct pmu_task *who)
{
    if (table->by_thread)
        return who->name;
    if (who->idle)
        return "idle";
    return who->process != NULL ? who->process : "kernel";
}

static struct counted_task *task_find(struct task_table *table, const struct pmu_task *who)
{
    const struct counted_task like = {
        .pid = who->pid,
        .thread = table->by_thread ? who->thread : 0,
        .flags = who->idle ? SYS_PMU_TASK_IDLE : 0,
    };
    u32 slot = (like.pid * 37 + like.thread + like.flags) % TASK_SLOTS;
    for (; table->slots[slot] != 0; slot = (slot + 1) % TASK_SLOTS) {
        struct counted_task *task = task_at(table, table->slots[slot] - 1u);
        if (task->pid == like.pid && task->thread == like.thread && task->flags == like.flags)
            return task;
    }
    if (table->count + 1 >= table->room)
        return others(table);
    table->slots[slot] = (u16)(table->count + 1);
    return task_add(table, &like, name_of(table, who));
}

// ---- adding up ----------------------------------------------------------------------------------

// Charges the counts since the last time to the running task.
static void task_charge(struct task_table *table, const u64 values[PMU_COUNTERS])
{
    struct counted_task *task = table->current;
    if (!task->active) {
        task->active = true;
        task->next_active = table->active;
        table->active = task;
    }
    for (u32 counter = 0; counter < PMU_COUNTERS; counter++)
        task->counts[counter] += values[counter] - table->mark[counter];
    task_table_go_on(table, values);
}

void task_table_go_on(struct task_table *table, const u64 values[PMU_COUNTERS])
{
    memcpy(table->mark, values, sizeof(table->mark));
}

void task_table_begin(struct task_table *table, const struct pmu_task *who,
                      const u64 values[PMU_COUNTERS])
{
    task_table_go_on(table, values);
    table->current = task_find(table, who);
}

void task_table_switch(struct task_table *table, const struct pmu_task *who,
                       const u64 values[PMU_COUNTERS])
{
    task_charge(table, values);
    table->current = task_find(table, who);
}

// The whole CPU's sums had room for this slice, so each task's have.
void task_table_slice(struct task_table *table, const struct pmu_group *group, u32 slice_counter,
                      const u64 values[PMU_COUNTERS])
{
    task_charge(table, values);
    for (struct counted_task *task = table->active; task != NULL; task = task->next_active) {
        pmu_multiplex_slice(sums_of(task), group, task->counts[slice_counter], task->counts);
        memset(task->counts, 0, sizeof(task->counts));
        task->active = false;
    }
    table->active = NULL;
    table->counted = table->count;
}
