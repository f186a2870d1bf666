// SPDX-License-Identifier: MIT
// Where the scheduler tells of switches (pmu/task_points.h), and what becomes of it.
#ifndef KERNEL_PMU_COUNTING_SWITCHES_H
#define KERNEL_PMU_COUNTING_SWITCHES_H

#include <pmu/counting_cpu.h>

// Switches are told from now on, or no more. Each call changes it. Thread context, no lock held.
void counting_points_set(bool on);
// The CPU goes from one task to another. Soft-masked.
void counting_switched(struct counting_cpu *here, const struct pmu_task *from,
                       const struct pmu_task *to);

#endif
