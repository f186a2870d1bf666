// SPDX-License-Identifier: MIT
// Calls to the fs server's interface, for its tests. What fails here fails the test.
#ifndef TESTS_UNIT_FS_CALLS_H
#define TESTS_UNIT_FS_CALLS_H

#include "files.h"
#include "host.h"

#include <ipc/fs.h>

#define PID HOST_PID
#define CHILD (PID + 2)
#define OTHER 20
#define RW (FS_READ | FS_WRITE)

extern struct ipc_caller caller; // process PID

// Sets a program's tests up: the host, an empty file system, no openings.
int server_start(void **state);
// Opens a path for a process. Returns the server's status; *file: the handle.
s64 open_as(const char *path, u32 flags, u32 pid, u64 *file);
// Opens a path for the caller. Returns the handle.
u64 opened(const char *path, u32 flags);
// Writes a text at an offset. Returns how many bytes were written.
u64 written(u64 file, u64 offset, const char *text);
// Checks that a file holds just this text (at most 99 bytes) from an offset on.
void holds(u64 file, u64 offset, const char *text);
// Is there a file or directory?
bool is_there(const char *path);
// Removes a file or an empty directory.
void remove_all(const char *path);

#endif
