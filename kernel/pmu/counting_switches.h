// SPDX-License-Identifier: MIT
// Where the scheduler tells of switches (pmu/task_points.h), and what becomes of it.
#ifndef KERNEL_PMU_COUNTING_SWITCHES_H
#define KERNEL_PMU_COUNTING_SWITCHES_H

#include <pmu/task.h>

// Switches are told from now on, or no more. Each call changes it. Thread context, no lock held.
void counting_points_set(bool on);
// The CPU leaves a process's window (or NULL) for another's, with these values of its counters.
// The processes' threads compute what they have counted from what is left there (user/pmu.h).
// Soft-masked.
void counting_change_windows(struct user_counters *from, struct user_counters *to,
                             const u64 values[]);

#endif
