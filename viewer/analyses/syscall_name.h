// SPDX-License-Identifier: MIT
// Names of system calls, from the machine's table (kernel/syscalls/syscalls.def).
#ifndef KOV_SYSCALL_NAME_H
#define KOV_SYSCALL_NAME_H

#include <orrery/types.h>
#include <stdbool.h>

// Returns "?" for a number that the table does not have: the trace is of another kernel.
const char *syscall_name(u64 number);
// Finds a call's number. Returns false if none has that name.
bool syscall_number(const char *name, u64 *number);

#endif
