// SPDX-License-Identifier: MIT
// Prints counts of processes or threads and their metrics: one row a task, one column an event.
#include "counts/stat_tasks.h"
#include "counts/stat_cell.h"

#include <inttypes.h>
#include <string.h>

static const char *kind_of(const struct task *task)
{
    if (task->flags & TASK_OTHERS)
        return "others";
    if (task->flags & TASK_IDLE)
        return "idle";
    return task->pid == 0 ? "kernel" : "process";
}

struct place {
    const struct stat_view *view;
    const struct task *task;
};

static bool compute(const void *context, const struct metric *metric, enum count_mode mode,
                    struct metric_value *value)
{
    const struct place *place = context;
    return metric_compute(metric, place->view->request, place->task->counts, mode, value);
}

json_t *stat_put_tasks(json_t *json, const struct stat_view *view, const struct task_reading *tasks)
{
    json_t *list = put_array(json, "tasks");
    for (size_t i = 0; i < tasks->count; i++) {
        const struct task *task = &tasks->tasks[i];
        char name[TASK_NAME_BYTES];
        json_t *row = put_object(list, NULL);
        put_text(row, "kind", kind_of(task));
        put_u64(row, "pid", task->pid);
        put_u64(row, "thread", task->thread);
        put_text(row, "name", task->name);
        put_text(row, "task", task_name(task, name));
        put_bool(row, "ended", task->flags & TASK_ENDED);
        if (view->per_cpu)
            put_u64(row, "cpu", task->cpu);
        json_t *events = put_array(row, "events");
        for (u32 item = 0; item < view->request->item_count; item++)
            stat_put_count(put_object(events, NULL), view, &view->request->items[item],
                           &task->counts[item]);
        stat_put_metrics(row, compute, &(struct place){view, task});
    }
    return list;
}

// ---- tables ------------------------------------------------------------------------------------

static void count_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *event = json_array_get(json_object_get(row, "events"), column->index);
    const json_t *count = json_object_get(event, "count"), *error = json_object_get(event, "error");
    json_int_t value = json_integer_value(count);
    if (!json_is_integer(count))
        strcpy(text, CELL_UNKNOWN);
    else if (json_integer_value(json_object_get(event, "measured")) >=
             json_integer_value(json_object_get(event, "total")))
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT, value);
    else if (json_is_null(error) || value == 0)
        snprintf(text, CELL_BYTES, "~%" JSON_INTEGER_FORMAT, value);
    else
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT " ± %.1f %%", value,
                 100 * json_number_value(error) / (double)value);
}

static bool any_estimate(const struct task_reading *tasks)
{
    for (size_t i = 0; i < tasks->count; i++)
        for (u32 item = 0; item < tasks->items; item++)
            if (tasks->tasks[i].counts[item].measured < tasks->tasks[i].counts[item].total)
                return true;
    return false;
}

static struct column heading(const struct stat_view *view)
{
    return (struct column)COLUMN(view->request->tasks == COUNT_THREADS ? "THREAD" : "PROCESS",
                                 "task", -1);
}

const struct column *stat_task_columns(const struct stat_view *view,
                                       const struct task_reading *tasks)
{
    static struct column columns[COUNT_ITEMS_MAX + 6];
    static char titles[COUNT_ITEMS_MAX][COUNT_NAME_BYTES], keys[COUNT_ITEMS_MAX][32];
    u32 count = 0;
    if (view->per_cpu)
        columns[count++] = (struct column)COLUMN("CPU", "cpu", 3);
    for (u32 item = 0; item < tasks->items; item++) {
        snprintf(keys[item], sizeof(keys[item]), "events.%" PRIu32 ".count", item);
        columns[count++] = (struct column)COLUMN(
            count_item_name(&view->request->items[item], titles[item]), keys[item],
            any_estimate(tasks) ? STAT_CELL_WIDE : STAT_CELL_WIDTH, .compose = count_text,
            .index = item);
    }
    columns[count++] = (struct column)HIDDEN("kind");
    columns[count++] = (struct column)HIDDEN("pid");
    columns[count++] = (struct column)HIDDEN("thread");
    columns[count++] = heading(view);
    columns[count] = (struct column)COLUMNS_END;
    return columns;
}

static void print_metrics(const struct stat_view *view, const json_t *rows)
{
    struct column columns[1 + STAT_METRIC_COLUMNS + 2] = {COLUMN("CPU", "cpu", 3)};
    u32 count = 1 + stat_metric_columns(rows, columns + 1);
    if (count == 1)
        return;
    columns[count++] = heading(view);
    columns[count] = (struct column)COLUMNS_END;
    putchar('\n');
    columns_print(view->per_cpu ? columns : columns + 1, rows, view->label);
}

void stat_tasks_print(const struct stat_view *view, const struct task_reading *tasks)
{
    bool others = tasks->count > 0 && tasks->tasks[tasks->count - 1].flags & TASK_OTHERS;
    json_t *document = json_object(), *rows = stat_put_tasks(document, view, tasks);
    columns_print(stat_task_columns(view, tasks), rows, view->label);
    print_metrics(view, rows);
    json_decref(document);
    if (*view->label != '\0')
        return;
    if (any_estimate(tasks))
        puts("\n~: scaled from the part of the task's time that was measured; " CELL_UNKNOWN
             " : none was");
    if (others)
        puts("\nothers: those that found no place of their own in the machine's table");
}
