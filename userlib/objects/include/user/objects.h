// SPDX-License-Identifier: MIT
// What objects, tracing and the monitor channel of a process share.
#ifndef USER_OBJECTS_H
#define USER_OBJECTS_H

#include <orrery/types.h>

// ---- patch.c: a batch of patches of the program's own text; a thread, not disabled -------------

void user_patch_begin(void);
// Replaces an instruction by a branch to target, or by a nop (NULL). No effect when it is there
// already.
void user_patch(u32 *instruction, const void *target);
void user_patch_end(void);
// Patches that failed for lack of memory, so far.
u64 user_patch_failures(void);

// ---- service.c: one thread a CPU, for reaping and the trace's heartbeat ------------------------

// Calls tick() on cpu every period ticks (0: no longer) in its service thread, inside of
// user_disable. Call it on that CPU, inside of user_disable.
void service_set_heartbeat(u32 cpu, u64 period, void (*tick)(void));
// Runs function(argument) on a CPU of the process, inside of user_disable, and waits until it has
// run. Returns false if the process has no dispatcher there. A thread, not disabled.
bool service_run_on(u32 cpu, void (*function)(void *), void *argument);

#endif
