// SPDX-License-Identifier: MIT
// Counts of processes or threads and their metrics, for people and as JSON: a row a task,
// a column an event.
#include "counts/stat_tasks.h"
#include "counts/stat_cell.h"

#include <inttypes.h>
#include <string.h>

static const char *count_cell(const struct count *count, char cell[STAT_CELL_BYTES])
{
    if (!count_is_known(count))
        return strcpy(cell, "-");
    if (count->measured >= count->total)
        snprintf(cell, STAT_CELL_BYTES, "%" PRIu64, count->count);
    else if (count->error == COUNT_ERROR_UNKNOWN || count->count == 0)
        snprintf(cell, STAT_CELL_BYTES, "~%" PRIu64, count->count);
    else
        snprintf(cell, STAT_CELL_BYTES, "%" PRIu64 " ± %.1f %%", count->count,
                 100 * (double)count->error / (double)count->count);
    return cell;
}

static bool is_estimate(const struct count *count)
{
    return count->measured < count->total;
}

static bool any_estimate(const struct task_reading *tasks)
{
    for (size_t i = 0; i < tasks->count; i++)
        for (u32 item = 0; item < tasks->items; item++)
            if (is_estimate(&tasks->tasks[i].counts[item]))
                return true;
    return false;
}

static void print_begin(const struct stat_view *view, const struct task *task)
{
    fputs(view->label, stdout);
    if (view->per_cpu)
        printf("%3" PRIu32 " ", task->cpu);
}

static void print_header_begin(const struct stat_view *view)
{
    printf("%*s%s", (int)strlen(view->label), *view->label != '\0' ? "TIME " : "",
           view->per_cpu ? "CPU " : "");
}

static const char *heading(const struct stat_view *view)
{
    return view->request->tasks == COUNT_THREADS ? "THREAD" : "PROCESS";
}

// ---- counts ------------------------------------------------------------------------------------

static void print_counts(const struct stat_view *view, const struct task_reading *tasks)
{
    int width = any_estimate(tasks) ? STAT_CELL_WIDE : STAT_CELL_WIDTH;
    char text[TASK_NAME_BYTES], cell[STAT_CELL_BYTES];
    print_header_begin(view);
    for (u32 item = 0; item < tasks->items; item++)
        stat_cell_print(count_item_name(&view->request->items[item], text), width);
    printf(" %s\n", heading(view));
    for (size_t i = 0; i < tasks->count; i++) {
        print_begin(view, &tasks->tasks[i]);
        for (u32 item = 0; item < tasks->items; item++)
            stat_cell_print(count_cell(&tasks->tasks[i].counts[item], cell), width);
        printf(" %s\n", task_name(&tasks->tasks[i], text));
    }
}

// ---- metrics -----------------------------------------------------------------------------------

struct column {
    const struct metric *metric;
    enum count_mode mode;
};

static bool compute(const struct stat_view *view, const struct task *task,
                    const struct column *column, struct metric_value *value)
{
    return metric_compute(column->metric, view->request, task->counts, column->mode, value);
}

// Those that some task has.
static u32 find_columns(const struct stat_view *view, const struct task_reading *tasks,
                        struct column *columns)
{
    u32 count = 0;
    struct metric_value value;
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t metric = 0; metric < metric_count; metric++) {
            columns[count] = (struct column){&metrics[metric], mode};
            bool found = false;
            for (size_t i = 0; i < tasks->count && !found; i++)
                found = compute(view, &tasks->tasks[i], &columns[count], &value);
            count += found;
        }
    return count;
}

static void print_metric_row(const struct stat_view *view, const struct task *task,
                             const struct column *columns, u32 count)
{
    char text[TASK_NAME_BYTES], cell[STAT_CELL_BYTES];
    struct metric_value value;
    print_begin(view, task);
    for (u32 i = 0; i < count; i++) {
        bool known = compute(view, task, &columns[i], &value);
        stat_cell_print(known ? stat_cell_metric(&value, columns[i].metric->percent, cell) : "-",
                        STAT_CELL_WIDE);
    }
    printf(" %s\n", task_name(task, text));
}

static void print_metrics(const struct stat_view *view, const struct task_reading *tasks)
{
    struct column columns[COUNT_MODES * METRICS_MAX + 1];
    u32 count = find_columns(view, tasks, columns);
    if (count == 0)
        return;
    putchar('\n');
    print_header_begin(view);
    for (u32 i = 0; i < count; i++) {
        char name[STAT_CELL_BYTES];
        stat_cell_print(stat_cell_metric_name(columns[i].metric, columns[i].mode, name),
                        STAT_CELL_WIDE);
    }
    printf(" %s\n", heading(view));
    for (size_t i = 0; i < tasks->count; i++)
        print_metric_row(view, &tasks->tasks[i], columns, count);
}

// ---- both --------------------------------------------------------------------------------------

void stat_tasks_print(const struct stat_view *view, const struct task_reading *tasks)
{
    bool others = tasks->count > 0 && tasks->tasks[tasks->count - 1].flags & TASK_OTHERS;
    print_counts(view, tasks);
    print_metrics(view, tasks);
    if (*view->label != '\0')
        return;
    if (any_estimate(tasks))
        puts("\n~: scaled from the part of the task's time that was measured; - : none was");
    if (others)
        puts("\nothers: those that found no place of their own in the machine's table");
}

static const char *kind_of(const struct task *task)
{
    if (task->flags & TASK_OTHERS)
        return "others";
    if (task->flags & TASK_IDLE)
        return "idle";
    return task->pid == 0 ? "kernel" : "process";
}

static void json_counts(struct json *json, const struct stat_view *view, const struct task *task)
{
    json_open_array(json, "events");
    for (u32 item = 0; item < view->request->item_count; item++) {
        const struct count_item *asked = &view->request->items[item];
        json_open_object(json, NULL);
        json_text(json, "event", asked->event->name);
        json_text(json, "mode", count_mode_name(asked->mode));
        stat_json_count(json, view, &task->counts[item]);
        json_close(json);
    }
    json_close(json);
}

static void json_metrics(struct json *json, const struct stat_view *view, const struct task *task)
{
    json_open_array(json, "metrics");
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t i = 0; i < metric_count; i++) {
            struct metric_value value;
            if (!compute(view, task, &(struct column){&metrics[i], mode}, &value))
                continue;
            json_open_object(json, NULL);
            stat_json_metric(json, &metrics[i], mode, &value);
            json_close(json);
        }
    json_close(json);
}

void stat_tasks_json(struct json *json, const struct stat_view *view,
                     const struct task_reading *tasks)
{
    json_open_array(json, "tasks");
    for (size_t i = 0; i < tasks->count; i++) {
        const struct task *task = &tasks->tasks[i];
        json_open_object(json, NULL);
        json_text(json, "kind", kind_of(task));
        json_u64(json, "pid", task->pid);
        json_u64(json, "thread", task->thread);
        json_text(json, "name", task->name);
        json_bool(json, "ended", task->flags & TASK_ENDED);
        if (view->per_cpu)
            json_u64(json, "cpu", task->cpu);
        json_counts(json, view, task);
        json_metrics(json, view, task);
        json_close(json);
    }
    json_close(json);
}
