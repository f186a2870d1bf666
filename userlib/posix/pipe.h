// SPDX-License-Identifier: MIT
// Pipes of servers that speak ipc/fs.idl. As long as both ends are open in one process and in no
// other, the bytes stay in that process, and reading and writing take no calls (docs/files.md). The
// pipe at the server is there all the time. It gets the bytes when an end is lent to a child or is
// closed, and from then on everything goes by calls.
#ifndef POSIX_PIPE_H
#define POSIX_PIPE_H

#include "file.h"

extern const struct fd_ops pipe_ops;

// Owns a new pipe, by its two ends, which nobody else has or uses so far. Without memory nothing
// changes: they are used by calls.
void pipe_own(struct fd_file *reader, struct fd_file *writer);

#endif
