// SPDX-License-Identifier: MIT
// Files, directories and pipes of servers that speak ipc/fs.idl.
#ifndef POSIX_FILE_H
#define POSIX_FILE_H

#include <ipc/fs.h>
#include <posix/fd.h>
#include <posix/service.h>

extern const struct fd_ops file_ops;

// An open file for a handle of a service; NULL: no memory (the handle is closed then).
struct fd_file *file_new(struct service *service, u64 handle, u32 kind, int flags);
// Handle and service of such a file; false: it is of another kind.
bool file_handle(const struct fd_file *file, struct service **service, u64 *handle);
// One call with a file's handle at its server: when that has ended,
// the handle is worth nothing: E_STALE.
typedef s64 (*handle_call)(cap_t server, u64 handle, void *argument);
s64 file_do(const struct fd_file *file, handle_call call, void *argument);
void file_stat_fill(const struct fs_stat *from, struct stat *to);

#endif
