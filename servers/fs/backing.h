// SPDX-License-Identifier: MIT
// A file's pages in other processes' memory: the memory object (a file FCM in the kernel) behind
// its mappings, whose pages are read through the file's own interface when they are asked for.
#ifndef FS_BACKING_H
#define FS_BACKING_H

#include <orrery/process.h>
#include <user/lock.h>

struct node;

struct backing {
    struct mutex lock;
    cap_t memory; // 0: nobody has mapped the file so far
    bool held;    // it has a reference to the node: somebody maps it
    u64 badge;    // of the kernel's messages
    u64 changes;  // of the contents, by other ways than the mapping
    struct node *node;
};

// The memory object, made if there is none; holds the node while anybody maps it.
// The file's lock is not held.
s64 backing_map(struct backing *backing, struct node *node, cap_t *memory);
// The contents have changed, by other ways than the mapping. bytes: how long the file is now.
void backing_changed(struct backing *backing, u64 bytes);
// The file goes: pages that somebody may still map are dropped.
void backing_end(struct backing *backing);

// The endpoint through which the kernel asks; before the first backing_map.
void backing_start(cap_t endpoint);

#endif
