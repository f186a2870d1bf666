// SPDX-License-Identifier: MIT
// What the scheduler knows of the machine, reading by reading, and the view that policies get.
#ifndef SCHED_WATCH_H
#define SCHED_WATCH_H

#include "pairs.h"

// Forgets all: the logs have been taken for a policy, which may want calls.
void watch_begin(u32 cpus, bool wants_calls);
// Begins with new readings of queues and times. Calls are counted on: who was placed rests.
void watch_anew(void);
// Begins with new readings of everything: no calls were logged for a while.
void watch_rested(void);
// Takes a reading: run queues, calls and processes. Returns an error of the logs.
s64 watch_read(void);
// Makes the view, without processes that `leave_out` names. Returns false while there are too few
// readings, or if calls are wanted and no block of them has just ended.
bool watch_view(struct view *view, bool (*leave_out)(u32 pid));
// Copies the name of a process of the view.
void watch_name(u32 pid, char name[PROCESS_NAME_MAX]);

#endif
