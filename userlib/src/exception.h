// SPDX-License-Identifier: MIT
// Faults and traps of threads: repairs, and otherwise the crash report.
#ifndef USERLIB_EXCEPTION_H
#define USERLIB_EXCEPTION_H

#include "scheduler.h"

// Handles EVENT_EXCEPTION of a thread whose state is saved. Returns when the thread can go on.
void exception_handle(const struct event *event, struct thread *thread);
// Ends the process: the page that the thread waited for will not come.
void exception_no_page(struct thread *thread, s64 status) __attribute__((noreturn));

// Stores the call chain of a thread whose state is saved, as user_stack_walk does (unwind.c).
u32 unwind_thread(const struct thread *thread, u64 *callers, u32 max);

#endif
