// SPDX-License-Identifier: MIT
// Files and directories of servers that speak ipc/fs.idl, and what pipes (pipe.h) share with them.
#ifndef POSIX_FILE_H
#define POSIX_FILE_H

#include <ipc/fs.h>
#include <posix/fd.h>
#include <posix/service.h>

extern const struct fd_ops file_ops;

// Makes an open file, or pipe, for a handle of a service. NULL: no memory (the handle is closed
// then).
struct fd_file *file_new(struct service *service, u64 handle, u32 kind, int flags);
// Gets handle and service of such a file. Returns false if it is of another kind.
bool file_handle(const struct fd_file *file, struct service **service, u64 *handle);
// Makes one call with a file's handle at its server. E_STALE: the server has ended since, so the
// handle is worth nothing.
typedef s64 (*handle_call)(cap_t server, u64 handle, void *argument);
s64 file_do(const struct fd_file *file, handle_call call, void *argument);
void file_stat_fill(const struct fs_stat *from, struct stat *to);
// Read or write once, at most FS_DATA_MAX of *bytes, at an offset or FS_CURRENT, with FS_NO_WAIT or
// 0. Return the server's status, and in *bytes how many were done.
s64 file_read_part(const struct fd_file *file, void *to, u64 *bytes, u64 offset, u32 flags);
s64 file_write_part(const struct fd_file *file, const void *from, u64 *bytes, u64 offset,
                    u32 flags);

// For fd_ops.
s64 file_stat_by_call(const struct fd_file *file, struct stat *to);
s64 file_lend_handle(const struct fd_file *file, struct fd_inherit *to);
void file_lent(struct fd_file *file, const struct fd_inherit *to, u32 pid);
s64 file_borrow(struct fd_file *file, const struct fd_inherit *from);
void file_leave(struct fd_file *file); // locks.c
// Does not wait for a server that has gone: it has forgotten the handle.
void file_close_handle(struct service *service, u64 handle);

#endif
