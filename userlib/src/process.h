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

// Makes room for a child's end, before the child starts. Returns 0 or E_NOMEM.
s64 children_add(u32 pid);
// Takes that back for a child that has not started after all.
void children_remove(u32 pid);

// Finds a program in the initial file system: the library's own process_open.
s64 initrd_open(const char *path, struct process_program *program);

#endif
