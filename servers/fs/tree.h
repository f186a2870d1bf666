// SPDX-License-Identifier: MIT
// What the FileSystem consists of: the tree of directories and what is mounted in it; places in the
// tree, and giving and taking names. For the FileSystem's own files: others go through
// filesystem.h. Under the lock, if nothing else is said.
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

struct place {
    struct directory *directory; // the path's last but one
    struct node *node;           // what is there, or NULL
    char name[FS_NAME_MAX + 1];  // if nothing is there: the path's last name
};

// Where a path leads. 0; E_INVAL; E_NOENT, E_NOTDIR before its last name;
// E_AGAIN when it goes through or to a mount point.
s64 tree_walk(const char *path, struct place *place);
bool place_is_root(const struct place *place);
// The directory is the node, or lies somewhere in it.
bool tree_lies_below(const struct directory *directory, const struct node *node);

// Room for one more name in a directory; false: there is none.
bool tree_take_room(const struct directory *directory);
void tree_return_room(const struct directory *directory);
// A new node gets its name, and what tree_take_room took for it.
// The reference of its creation goes.
void tree_link(struct directory *directory, struct node *node);
void tree_unlink(struct node *node);
// If the directory is kept, it is to be saved.
void tree_changed(const struct directory *directory);

#endif
