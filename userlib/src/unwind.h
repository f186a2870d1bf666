// SPDX-License-Identifier: MIT
// Stack walks over a preempted thread's stack,
// by the map that scripts/mktables.py builds into the program.
#ifndef USERLIB_UNWIND_H
#define USERLIB_UNWIND_H

#include "scheduler.h"

// user_stack_walk for a thread whose state is saved.
u32 unwind_thread(const struct thread *thread, u64 *callers, u32 max);

#endif
