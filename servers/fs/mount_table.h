// SPDX-License-Identifier: MIT
// The mount table: directories whose contents another server has. The functions take the
// FileSystem's lock, if nothing else is said. Any thread may call them.
#ifndef FS_MOUNT_TABLE_H
#define FS_MOUNT_TABLE_H

#include "node.h"

// Mounts a service at a directory, or unmounts it if service is "". point: an absolute path of at
// most FS_NAME_MAX bytes, not "/", without "//", blanks or a "/" at its end. Returns 0, E_INVAL for
// another point, E_EXIST if something is mounted there or on the way, E_NOENT, E_NOTDIR, E_LIMIT or
// E_NOMEM.
s64 mount_table_set(const char *point, const char *service);
// Writes entry `index` as "POINT SERVICE". Returns 0, E_NOENT behind the last entry, or E_INVAL if
// room (in bytes) is too small.
s64 mount_table_get(u32 index, char *entry, u64 room);
// Returns true if something is mounted at the node or below, so that its path must stay. The caller
// holds the FileSystem's lock.
bool mount_table_below(const struct node *node);

#endif
