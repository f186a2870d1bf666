// SPDX-License-Identifier: MIT
// Acts on the switches that the scheduler reports (pmu/task_points.h).
#ifndef KERNEL_PMU_COUNTING_SWITCHES_H
#define KERNEL_PMU_COUNTING_SWITCHES_H

#include <pmu/task.h>

// Changes the CPU from one process's window (or NULL) to another's, with these values of its
// counters. The processes' threads compute their counts from what this leaves there (user/pmu.h).
// Soft-masked.
void counting_change_windows(struct user_counters *from, struct user_counters *to,
                             const u64 values[]);

#endif
