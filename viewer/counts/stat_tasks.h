// SPDX-License-Identifier: MIT
// Counts of processes or threads and their metrics: a row a task, a column an event.
#ifndef KOV_STAT_TASKS_H
#define KOV_STAT_TASKS_H

#include "counts/stat_print.h"
#include "counts/task_counts.h"

// A table of counts, and one of metrics if there are any. The tasks have been arranged; the view's
// label, seconds and per_cpu are looked at.
void stat_tasks_print(const struct stat_view *view, const struct task_reading *tasks);
// Adds a member "tasks", which is returned.
json_t *stat_put_tasks(json_t *json, const struct stat_view *view,
                       const struct task_reading *tasks);
// For both; they last until the next call.
const struct column *stat_task_columns(const struct stat_view *view,
                                       const struct task_reading *tasks);

#endif
