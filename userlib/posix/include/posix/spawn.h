// SPDX-License-Identifier: MIT
// Starting programs with files: a child inherits descriptors and the working directory.
#ifndef POSIX_SPAWN_H
#define POSIX_SPAWN_H

#include <user/process.h>

struct posix_spawn_fd {
    int child;  // descriptor in the child
    int parent; // descriptor of the caller
};

// process_spawn_cap (user/process.h) with files; fills in spawn->inherit itself. fds NULL: 0, 1 and
// 2 as they are. Returns the pid, or an error of orrery/errors.h (E_INVAL: no such descriptor).
s64 posix_spawn_program(const struct process_spawn *spawn, const struct posix_spawn_fd *fds,
                        u32 count, cap_t *process);

#endif
