// SPDX-License-Identifier: MIT
// The table of file descriptors, and the kind `console`, for the other files here.
#ifndef POSIX_TABLE_H
#define POSIX_TABLE_H

#include <posix/fd.h>

extern const struct fd_ops console_ops;

// Puts a file at a descriptor, and closes what was there. Takes over the reference.
int fd_install_at(struct fd_file *file, int fd);
int fd_remove(int fd);                   // closes: 0 or -EBADF
void fd_remove_all(void);                // the process ends
void fd_file_free(struct fd_file *file); // one that was never open

void posix_finish(void); // called when the process ends (userlib/libc): closes what is open

#endif
