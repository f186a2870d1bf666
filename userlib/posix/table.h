// SPDX-License-Identifier: MIT
// The table of file descriptors, and the kind `console`, for the other files here.
#ifndef POSIX_TABLE_H
#define POSIX_TABLE_H

#include <fcntl.h>
#include <posix/fd.h>

extern const struct fd_ops console_ops;

// Puts a file at a descriptor, and closes what was there. Takes over the reference.
int fd_install_at(struct fd_file *file, int fd);
int fd_remove(int fd); // closes: 0 or -EBADF
// Gets and sets the descriptor's own flag: FD_CLOEXEC or 0. There is no exec: it is merely kept.
int fd_get_flag(int fd);           // FD_CLOEXEC, 0 or -EBADF
int fd_set_flag(int fd, int flag); // 0 or -EBADF
// As fd_install, with FD_CLOEXEC if flags have O_CLOEXEC.
static inline int fd_install_new(struct fd_file *file, int at_least, int flags)
{
    int fd = fd_install(file, at_least);
    if ((flags & O_CLOEXEC) != 0 && fd >= 0)
        fd_set_flag(fd, FD_CLOEXEC);
    return fd;
}
// fcntl's F_GETLK, F_SETLK and F_SETLKW (locks.c).
int fd_lock(int fd, int command, struct flock *lock);
void fd_remove_all(void);                // the process ends
void fd_file_free(struct fd_file *file); // one that was never open

void posix_finish(void); // called when the process ends (userlib/libc): closes what is open

#endif
