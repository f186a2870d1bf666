// SPDX-License-Identifier: MIT
// Inside of the library: the process's own arguments, and its children.
#ifndef USERLIB_PROCESS_H
#define USERLIB_PROCESS_H

#include <user/process.h>

// At start: the argument block, or 0.
void arguments_begin(u64 block);
u64 arguments_count(void);
char **arguments_vector(void);
const char *process_name(void); // last part of argv[0]

// Before the child starts. E_NOMEM.
s64 children_add(u32 pid);
// A child that has not started after all.
void children_forget(u32 pid);

// The library's own process_open: the initial file system.
s64 initrd_open(const char *path, struct process_program *program);

#endif
