// SPDX-License-Identifier: MIT
// Counts of two items of a session on a CPU, for the logs for schedulers (observe/log/areas.c). The
// session must count all the time.
#ifndef KERNEL_PMU_COUNTING_LOG_H
#define KERNEL_PMU_COUNTING_LOG_H

#include <orrery/types.h>
#include <stdbool.h>

#define COUNTING_LOGGED 2

// Reads the counts of the two items on this CPU since the session's start. Returns the number of
// the choice, from 1, or 0 if none is chosen or its session does not count here now. Counts of
// different choices are unrelated. Soft-masked, not PMI.
u64 counting_log_read(u64 values[COUNTING_LOGGED]);
// Returns whether the items are of a running session that this process has started. Any context.
bool counting_log_is_of(u32 pid);

#endif
