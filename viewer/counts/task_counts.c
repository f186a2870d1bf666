// SPDX-License-Identifier: MIT
// Counts of processes or threads, CPU by CPU, read at one moment.
#include "counts/task_counts.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KINDS (TASK_IDLE | TASK_OTHERS) // flags that make tasks different

void task_reading_begin(struct task_reading *reading, u32 items)
{
    reading->count = 0;
    reading->items = items;
}

void task_reading_free(struct task_reading *reading)
{
    free(reading->tasks);
    *reading = (struct task_reading){0};
}

struct task *task_reading_add(struct task_reading *reading)
{
    if (reading->count == TASKS_MAX)
        return NULL;
    reading->tasks =
        memory_grow(reading->tasks, reading->count, &reading->capacity, sizeof(*reading->tasks));
    struct task *task = &reading->tasks[reading->count++];
    memset(task, 0, sizeof(*task));
    return task;
}

// ---- order -------------------------------------------------------------------------------------

static int compare(u64 left, u64 right)
{
    return (left > right) - (left < right);
}

static int compare_keys(const void *left, const void *right)
{
    const struct task *a = left, *b = right;
    int order = compare(a->cpu, b->cpu);
    order = order != 0 ? order : compare(a->pid, b->pid);
    order = order != 0 ? order : compare(a->thread, b->thread);
    return order != 0 ? order : compare(a->flags & KINDS, b->flags & KINDS);
}

void task_reading_order(struct task_reading *reading)
{
    size_t kept = 0;
    if (reading->count > 0)
        qsort(reading->tasks, reading->count, sizeof(*reading->tasks), compare_keys);
    for (size_t i = 0; i < reading->count; i++) {
        struct task *task = &reading->tasks[i], *to = &reading->tasks[kept - (kept > 0)];
        if (kept > 0 && compare_keys(to, task) == 0) {
            // A task has ended only if it has on all CPUs.
            to->flags &= task->flags | ~(u32)TASK_ENDED;
            for (u32 item = 0; item < reading->items; item++)
                count_add(&to->counts[item], &task->counts[item]);
        } else if (kept++ != i) {
            reading->tasks[kept - 1] = *task;
        }
    }
    reading->count = kept;
}

// ---- parts of a reading ------------------------------------------------------------------------

void task_reading_between(const struct task_reading *before, const struct task_reading *after,
                          struct task_reading *between)
{
    task_reading_begin(between, after->items);
    for (size_t i = 0; i < after->count; i++) {
        const struct task *now = &after->tasks[i], *then = NULL;
        struct task *to = task_reading_add(between);
        if (before->count > 0)
            then = bsearch(now, before->tasks, before->count, sizeof(*now), compare_keys);
        *to = *now;
        for (u32 item = 0; then != NULL && item < after->items; item++)
            to->counts[item] = count_between(&then->counts[item], &now->counts[item]);
    }
}

// Keeps only the tasks that are wanted.
static void keep(struct task_reading *reading, bool wanted(const struct task *, const void *, u32),
                 const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < reading->count; i++)
        if (wanted(&reading->tasks[i], context, reading->items) && kept++ != i)
            reading->tasks[kept - 1] = reading->tasks[i];
    reading->count = kept;
}

static bool is_of(const struct task *task, const void *pids, u32 items)
{
    (void)items;
    return pid_list_has(pids, task->pid) && (task->flags & TASK_OTHERS) == 0;
}

void task_reading_keep(struct task_reading *reading, const struct pid_list *pids)
{
    if (pids->count > 0)
        keep(reading, is_of, pids);
}

void task_reading_sum(const struct task_reading *tasks, struct count_reading *sums)
{
    for (u32 cpu = 0; cpu < sums->cpu_count; cpu++)
        memset(sums->cpus[cpu].counts, 0, sizeof(sums->cpus[cpu].counts));
    for (size_t i = 0; i < tasks->count; i++)
        for (u32 cpu = 0; cpu < sums->cpu_count; cpu++)
            for (u32 item = 0; sums->cpus[cpu].cpu == tasks->tasks[i].cpu && item < tasks->items;
                 item++)
                count_add(&sums->cpus[cpu].counts[item], &tasks->tasks[i].counts[item]);
}

// ---- tables ------------------------------------------------------------------------------------

static bool has_counts(const struct task *task, const void *context, u32 items)
{
    (void)context;
    for (u32 item = 0; item < items; item++)
        if (task->counts[item].count != 0 || task->counts[item].total != 0)
            return true;
    return false;
}

static int compare_counts(const void *left, const void *right)
{
    const struct task *a = left, *b = right;
    int order = compare(a->flags & TASK_OTHERS, b->flags & TASK_OTHERS);
    order = order != 0 ? order : compare(b->counts[0].count, a->counts[0].count);
    return order != 0 ? order : compare_keys(left, right);
}

void task_reading_arrange(struct task_reading *reading, bool per_cpu)
{
    keep(reading, has_counts, NULL);
    for (size_t i = 0; !per_cpu && i < reading->count; i++)
        reading->tasks[i].cpu = ALL_CPUS;
    task_reading_order(reading);
    if (reading->count > 0)
        qsort(reading->tasks, reading->count, sizeof(*reading->tasks), compare_counts);
}

// Returns the length of the name without the process's number. The kernel calls threads of
// processes "shell/7".
static int name_length(const struct task *task)
{
    char end[16];
    size_t length = strlen(task->name);
    size_t tail = (size_t)snprintf(end, sizeof(end), "/%" PRIu32, task->pid);
    bool has_number = length > tail && strcmp(task->name + length - tail, end) == 0;
    return (int)(has_number ? length - tail : length);
}

const char *task_name(const struct task *task, char name[TASK_NAME_BYTES])
{
    char process[TASK_NAME_BYTES - 32] = "kernel", thread[16] = "";
    if (task->flags & TASK_OTHERS)
        return strcpy(name, "others");
    if (task->pid != 0 && task->name[0] != '\0')
        snprintf(process, sizeof(process), "%.*s:%" PRIu32, name_length(task), task->name,
                 task->pid);
    else if (task->pid != 0)
        snprintf(process, sizeof(process), "pid %" PRIu32, task->pid);
    else if (task->flags & TASK_IDLE)
        strcpy(process, "idle");
    if (task->thread != 0)
        snprintf(thread, sizeof(thread), "/%" PRIu32, task->thread);
    snprintf(name, TASK_NAME_BYTES, "%s%s%s", process, thread,
             task->flags & TASK_ENDED ? " (ended)" : "");
    return name;
}
