// SPDX-License-Identifier: MIT
// A counting session on the machine.
#ifndef KOV_COUNTING_H
#define KOV_COUNTING_H

#include "counts/task_counts.h"

// Starts a session. *time is when it had begun, by the time base. Readings are of this session from
// now on.
int counting_start(struct count_request *wanted, u64 *time);
// The same, where a refusal is no failure. *error: 0, or the machine's.
int counting_try(struct count_request *wanted, u64 *time, int *error);
// Puts what the session counts into the trace, with events of these majors.
int counting_trace(u64 majors);
int counting_read(const struct count_request *wanted, struct count_reading *reading);
// Stops the session and reads its final counts.
int counting_stop(const struct count_request *wanted, struct count_reading *reading);
// Reads the counts of processes or threads that the start asked for, ordered.
int counting_tasks(const struct count_request *wanted, struct task_reading *tasks);

// Leaves these processes out of all counting, until the next call or the end of the connection.
int counting_exclude(const struct pid_list *pids);

#endif
