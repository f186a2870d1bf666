// SPDX-License-Identifier: MIT
// A counting session on the machine.
#ifndef KOV_COUNTING_H
#define KOV_COUNTING_H

#include "counts/task_counts.h"

// *time: time base, when it had begun. Its readings are of this session from now on.
int counting_start(struct count_request *wanted, u64 *time);
// What the session counts goes into the trace, with events of these majors.
int counting_trace(u64 majors);
int counting_read(const struct count_request *wanted, struct count_reading *reading);
// The same, of the end.
int counting_stop(const struct count_request *wanted, struct count_reading *reading);
// Counts of processes or threads, as asked for at the start; ordered.
int counting_tasks(const struct count_request *wanted, struct task_reading *tasks);

// These processes are left out of all counting, and those of the call before no more,
// until the connection ends.
int counting_exclude(const struct pid_list *pids);

#endif
