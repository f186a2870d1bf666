// SPDX-License-Identifier: MIT
// The process's dispatchers: their start, and the machine they run on.
#ifndef USERLIB_DISPATCHER_H
#define USERLIB_DISPATCHER_H

#include "scheduler.h"

// Makes all that an upcall needs for the first dispatcher. By its first thread. Returns 0 or an
// error.
s64 dispatcher_first(void);
// Handles EVENT_START, on the upcall stack of the new dispatcher.
void dispatcher_begin(u32 cpu) __attribute__((noreturn));
// Calls the functions of USER_CPU_START, on this CPU. Returns 0 or the first error.
s64 dispatcher_cpu_start(u32 cpu);
// Sets the policy of schedulers that are made from now on.
void dispatcher_policy(const struct scheduler_policy *of_new_ones);

#endif
