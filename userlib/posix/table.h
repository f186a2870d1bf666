// SPDX-License-Identifier: MIT
// The table of file descriptors, for the other files here.
#ifndef POSIX_TABLE_H
#define POSIX_TABLE_H

#include <posix/fd.h>

int fd_install_at(struct fd_file *file,
                  int fd);               // what was there is closed; takes over the reference
int fd_remove(int fd);                   // close: 0 or -EBADF
void fd_remove_all(void);                // the process ends
void fd_file_free(struct fd_file *file); // one that was never open

void posix_finish(void); // called when the process ends (userlib/libc): closes what is open

#endif
