// SPDX-License-Identifier: MIT
// The scheduler tells the counting of events which task runs. It does nothing while nobody counts
// by tasks (kernel/points.h).
#ifndef KERNEL_PMU_TASK_POINTS_H
#define KERNEL_PMU_TASK_POINTS_H

#include <kernel/points.h>
#include <pmu/task.h>

// Wants switches (bit 0) while somebody counts by tasks (kernel/proc/counted.c).
extern struct observer tasks_counted;

// Tells that the CPU switches from one task to another. Behind a point; soft-masked, no lock held.
void pmu_task_switch(const struct pmu_task *from, const struct pmu_task *to);

// Tells that the CPU is idle no more, within one of the scheduler's ticks. Also while it is not.
// Soft-masked, no lock held.
void pmu_task_wakes(void);

// Gets the task that runs on this CPU; supplied by the scheduler (kernel/proc/counted.c).
// Soft-masked; its pointers are valid until soft-unmasked.
void pmu_task_current(struct pmu_task *task);

#endif
