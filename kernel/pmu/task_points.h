// SPDX-License-Identifier: MIT
// What the scheduler tells the counting of events: which task runs.
// It asks no question while nobody counts by tasks
// (proc/switch_points.h).
#ifndef KERNEL_PMU_TASK_POINTS_H
#define KERNEL_PMU_TASK_POINTS_H

#include <pmu/task.h>

// The CPU goes from one task to another. Behind a point; soft-masked, no lock held.
void pmu_task_switch(const struct pmu_task *from, const struct pmu_task *to);

// The scheduler's (kernel/proc/counted.c): the task that runs on this CPU. Soft-masked; what it
// points to is good until soft-unmasked.
void pmu_task_current(struct pmu_task *task);

#endif
