// SPDX-License-Identifier: MIT
// What objects, tracing and the monitor channel of a process share.
#ifndef USER_OBJECTS_H
#define USER_OBJECTS_H

#include <orrery/types.h>

// ---- patch.c: a batch of patches of the program's own text; a thread, not disabled -------------

void user_patch_begin(void);
// target NULL: a nop. No effect when it is there already.
void user_patch(u32 *instruction, const void *target);
void user_patch_end(void);
// Patches that failed for lack of memory, so far.
u64 user_patch_failures(void);

// ---- service.c: one thread a CPU, for reaping and the trace's heartbeat ------------------------

// Calls tick() on cpu every period ticks in its service thread, inside of user_disable; 0: no
// longer. On that CPU, inside of user_disable.
void service_set_heartbeat(u32 cpu, u64 period, void (*tick)(void));
// Runs function(argument) on a CPU of the process, inside of user_disable, and returns when it has
// run. False: it has no dispatcher. A thread, not disabled.
bool service_run_on(u32 cpu, void (*function)(void *), void *argument);

#endif
