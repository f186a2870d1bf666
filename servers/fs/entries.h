// SPDX-License-Identifier: MIT
// A hash table of the entries of all directories, by name. directory.c calls it with the
// FileSystem's lock held.
#ifndef FS_ENTRIES_H
#define FS_ENTRIES_H

#include "node.h"

// Returns the node with a name in a directory, or NULL. name: bytes long, without a NUL.
struct node *entries_find(const struct directory *directory, const char *name, u64 bytes);
// Adds a node. Its parent and its name must not change until it is removed.
void entries_add(struct node *node);
void entries_remove(struct node *node);

#endif
