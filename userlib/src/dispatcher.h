// SPDX-License-Identifier: MIT
// The process's dispatchers: their start, and the machine they run on.
#ifndef USERLIB_DISPATCHER_H
#define USERLIB_DISPATCHER_H

#include "scheduler.h"

// The first dispatcher, by its first thread: everything that an upcall needs. 0 or an error.
s64 dispatcher_first(void);
// EVENT_START, on the upcall stack of the new dispatcher.
void dispatcher_begin(u32 cpu) __attribute__((noreturn));
// The functions of USER_CPU_START, here.
s64 dispatcher_cpu_start(u32 cpu);

#endif
