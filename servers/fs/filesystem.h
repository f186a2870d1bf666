// SPDX-License-Identifier: MIT
// The FileSystem: the tree of directories and names in it. One object.
#ifndef FS_FILESYSTEM_H
#define FS_FILESYSTEM_H

#include "node.h"

// The root directory and the object. 0 or E_NOMEM.
s64 filesystem_create(void);
coid_t filesystem_coid(void);

// Paths are absolute, without "." and "..": else E_INVAL.
// A path that goes through or to a mount point: E_AGAIN.
// The node at path, held.
s64 filesystem_find(const char *path, struct node **node);
// The same; with create a file is made when there is none, with exclusive E_EXIST when there is.
s64 filesystem_open(const char *path, bool create, bool exclusive, struct node **node);
// Gives a new node (whose name is the path's last) its place; takes over the reference when 0.
s64 filesystem_add(const char *path, struct node *node);
s64 filesystem_make_directory(const char *path);
s64 filesystem_remove(const char *path);
s64 filesystem_rename(const char *from, const char *to);
s64 filesystem_list(struct node *directory, u64 cursor, u64 *next, void *to, u64 room, u64 *bytes);
// Everything that is there now keeps its name: removing or renaming it gives E_PERM.
void filesystem_fix(void);
void filesystem_usage(struct fs_usage *usage);

#endif
