// SPDX-License-Identifier: MIT
// Entries of all directories by their names: a hash table. For directory.c, under the FileSystem's
// lock.
#ifndef FS_ENTRIES_H
#define FS_ENTRIES_H

#include "node.h"

// The node with that name (of so many bytes, without a NUL) in a directory, or NULL.
struct node *entries_find(const struct directory *directory, const char *name, u64 bytes);
// A node that has its parent and name, neither of which changes until it is removed.
void entries_add(struct node *node);
void entries_remove(struct node *node);

#endif
