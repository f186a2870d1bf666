// SPDX-License-Identifier: MIT
// What becomes of the switches that the scheduler tells of (pmu/task_points.h).
#ifndef KERNEL_PMU_COUNTING_SWITCHES_H
#define KERNEL_PMU_COUNTING_SWITCHES_H

#include <pmu/task.h>

// The CPU leaves a process's window (or NULL) for another's, with these values of its counters.
// The processes' threads compute what they have counted from what is left there (user/pmu.h).
// Soft-masked.
void counting_change_windows(struct user_counters *from, struct user_counters *to,
                             const u64 values[]);

#endif
