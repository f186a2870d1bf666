// SPDX-License-Identifier: MIT
// A file's pages in the memory of other processes. Behind the mappings of a file is a memory object
// (a file FCM in the kernel). When the kernel asks for a page, it is read through the file's own
// interface. Any thread may call what is declared here.
#ifndef FS_BACKING_H
#define FS_BACKING_H

#include <orrery/process.h>
#include <user/lock.h>

struct node;

struct backing {
    struct mutex lock;
    cap_t memory; // 0: nobody has mapped the file so far
    bool held;    // somebody maps the file, so this holds the node
    u64 badge;    // of the kernel's messages about this file
    u64 changes;  // number of changes of the contents
    struct node *node;
};

// Sets *memory to the file's memory object, which is created by the first call. Holds the node
// while anybody maps it. Returns 0 or an error. The caller does not hold the file's lock.
s64 backing_map(struct backing *backing, struct node *node, cap_t *memory);
// Tells the kernel that the contents have changed. bytes: the new length of the file.
void backing_changed(struct backing *backing, u64 bytes);
// Drops the pages that somebody may still map, and the memory object. The file is being destroyed.
void backing_end(struct backing *backing);

// Sets the endpoint for the kernel's requests. Called before the first backing_map.
void backing_start(cap_t endpoint);

#endif
