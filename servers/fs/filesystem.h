// SPDX-License-Identifier: MIT
// The FileSystem: the tree of directories and the names in it. There is one object. Any thread may
// call what is declared here, with no lock of the server held.
#ifndef FS_FILESYSTEM_H
#define FS_FILESYSTEM_H

#include "node.h"

// Functions below that take a path return 0 or an error. Paths are absolute, and have no "." or
// "..": else E_INVAL. E_AGAIN: the path goes through a mount point or to one. E_NOENT, E_NOTDIR:
// the path does not exist.

// Sets *node to the node at path, held.
s64 filesystem_find(const char *path, struct node **node);
// Does as filesystem_find. create: makes a file if there is none. exclusive, with create: E_EXIST
// if there is one. E_LIMIT: too many names or no room in /data. E_NOMEM.
s64 filesystem_open(const char *path, bool create, bool exclusive, struct node **node);
// Puts a new node at path, whose last name is the node's. Takes over the reference if it returns 0.
// E_EXIST.
s64 filesystem_add(const char *path, struct node *node);
s64 filesystem_make_directory(const char *path); // E_EXIST, E_LIMIT, E_NOMEM
// Removes what is at path. E_BUSY: the root. E_PERM: fixed. E_NOTEMPTY.
s64 filesystem_remove(const char *path);
// Replaces what is at `to`. E_BUSY: the root, or something is mounted below. E_PERM: fixed.
// E_INVAL: `to` lies below `from`. E_NOTSUP: only one of the two is in /data. E_ISDIR, E_NOTEMPTY,
// E_NOMEM.
s64 filesystem_rename(const char *from, const char *to);
// Puts records of a directory's entries after the cursor (0: from the first on) into to, their
// length into *bytes (0 at the end), and the cursor for the next call into *next. Returns 0,
// E_NOTDIR, or E_INVAL if room is too small for the longest entry.
s64 filesystem_list(struct node *directory, u64 cursor, u64 *next, void *to, u64 room, u64 *bytes);
void filesystem_usage(struct fs_usage *usage);

// ---- at the start ------------------------------------------------------------------------------

// Creates the root directory and the object. Returns 0 or E_NOMEM.
s64 filesystem_create(void);
coid_t filesystem_coid(void);
// Loads the initial file system into the tree. archive: its bytes, which must stay. memory: their
// memory object, or 0. A damaged archive is loaded as far as it is whole, and sets *damaged.
// Returns 0 or E_NOMEM. Called before any other thread uses the tree (initial.c).
s64 initial_load(const u8 *archive, u64 bytes, cap_t memory, bool *damaged);
// Fixes the names that exist now: removing or renaming them returns E_PERM.
void filesystem_fix(void);

#endif
