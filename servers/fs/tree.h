// SPDX-License-Identifier: MIT
// The inside of the FileSystem: the tree of directories, its mount points, and places in it. Only
// the FileSystem's own files use this; others go through filesystem.h. Callers hold the lock, if
// nothing else is said.
#ifndef FS_TREE_H
#define FS_TREE_H

#include "filesystem.h"
#include "node.h"

#define FS_MOUNTS_MAX 16

struct tree {
    struct mutex lock;
    struct directory *top;
    u64 files, directories;
    struct {
        char point[FS_NAME_MAX + 1];
        struct node *node; // held
    } mounts[FS_MOUNTS_MAX];
    u32 mount_count;
};

extern struct tree tree;

// The place that a path names.
struct place {
    struct directory *directory; // of the path's last name
    struct node *node;           // NULL: nothing has that name
    char name[FS_NAME_MAX + 1];  // the path's last name, if nothing has it
};

// Walks a path. Returns 0, E_INVAL, E_NOENT or E_NOTDIR for a name before the last one, or E_AGAIN
// if the path goes through a mount point or to one.
s64 tree_walk(const char *path, struct place *place);
bool place_is_root(const struct place *place);
// Returns true if the directory is the node or lies below it.
bool tree_lies_below(const struct directory *directory, const struct node *node);

// Takes room for one more name in a directory. Returns false if there is none.
bool tree_take_room(const struct directory *directory);
void tree_return_room(const struct directory *directory);
// Puts a new node into a directory, with the room that tree_take_room took. The reference of its
// creation goes.
void tree_link(struct directory *directory, struct node *node);
// Takes a node out of its directory.
void tree_unlink(struct node *node);
// Notes a change of a directory: a kept one has to be saved.
void tree_changed(const struct directory *directory);

#endif
