// SPDX-License-Identifier: MIT
// Counts of processes or threads and their metrics, for people and as JSON.
#ifndef KOV_STAT_TASKS_H
#define KOV_STAT_TASKS_H

#include "counts/stat_print.h"
#include "counts/task_counts.h"

// A table of counts, and one of metrics if there are any. The tasks have been arranged; the view's
// label, seconds and per_cpu are looked at.
void stat_tasks_print(const struct stat_view *view, const struct task_reading *tasks);
// A member "tasks" of the object that is open.
void stat_tasks_json(struct json *json, const struct stat_view *view,
                     const struct task_reading *tasks);

#endif
