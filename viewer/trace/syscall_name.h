// SPDX-License-Identifier: MIT
// Names of system calls, from the machine's own table (kernel/syscalls/syscalls.def).
#ifndef KOV_SYSCALL_NAME_H
#define KOV_SYSCALL_NAME_H

#include <orrery/types.h>
#include <stdbool.h>

// "?" for a number that the table does not have: the trace is of another kernel.
const char *syscall_name(u64 number);
// false: there is none of that name.
bool syscall_number(const char *name, u64 *number);

#endif
