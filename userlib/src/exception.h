// SPDX-License-Identifier: MIT
// Faults and traps of threads: repairs, and else the crash report.
#ifndef USERLIB_EXCEPTION_H
#define USERLIB_EXCEPTION_H

#include "scheduler.h"

// EVENT_EXCEPTION of the thread, whose state is saved. Returns when the thread can go on.
void exception_handle(const struct event *event, struct thread *thread);
// The page that the thread waited for will not come: the end.
void exception_no_page(struct thread *thread, s64 status) __attribute__((noreturn));

#endif
