// SPDX-License-Identifier: MIT
// Two items of a session for the logs for schedulers (log/areas.c): of one that is counted all the
// time, the counts so far on a CPU.
#ifndef KERNEL_PMU_COUNTING_LOG_H
#define KERNEL_PMU_COUNTING_LOG_H

#include <orrery/types.h>
#include <stdbool.h>

#define COUNTING_LOGGED 2

// Counts since the session's start of the two items on this CPU. Returns the number of the choice,
// from 1: values of two choices have nothing to do with each other. 0: none is chosen, or its
// session does not count here now. Soft-masked, not PMI.
u64 counting_log_read(u64 values[COUNTING_LOGGED]);
// Are they of a session that this process has started, and that runs? Any context.
bool counting_log_is_of(u32 pid);

#endif
