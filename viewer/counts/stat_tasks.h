// SPDX-License-Identifier: MIT
// Prints counts of processes or threads and their metrics: one row a task, one column an event.
#ifndef KOV_STAT_TASKS_H
#define KOV_STAT_TASKS_H

#include "counts/stat_print.h"
#include "counts/task_counts.h"

// Prints a table of counts, and one of metrics if there are any. The tasks are already arranged. Of
// the view it uses label, seconds and per_cpu.
void stat_tasks_print(const struct stat_view *view, const struct task_reading *tasks);
// Adds a member "tasks" and returns it.
json_t *stat_put_tasks(json_t *json, const struct stat_view *view,
                       const struct task_reading *tasks);
// Returns the columns of both. They are valid until the next call.
const struct column *stat_task_columns(const struct stat_view *view,
                                       const struct task_reading *tasks);

#endif
