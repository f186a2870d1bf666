// SPDX-License-Identifier: MIT
// The mount table: directories whose contents another server has. Takes the FileSystem's lock, if
// nothing else is said; any thread.
#ifndef FS_MOUNT_TABLE_H
#define FS_MOUNT_TABLE_H

#include "node.h"

// Mounts a service at a directory, or with service "" takes off what is mounted there. point: an
// absolute path without "//", blanks or a "/" at its end, at most FS_NAME_MAX bytes, and not "/":
// else E_INVAL. E_EXIST: something is mounted there or on the way;
// E_NOENT, E_NOTDIR, E_LIMIT, E_NOMEM.
s64 mount_table_set(const char *point, const char *service);
// Entry `index` as "POINT SERVICE": 0, E_NOENT behind the last,
// E_INVAL when room bytes are too few.
s64 mount_table_get(u32 index, char *entry, u64 room);
// Something is mounted in the node or below: its path must stay. Under the FileSystem's lock.
bool mount_table_below(const struct node *node);

#endif
