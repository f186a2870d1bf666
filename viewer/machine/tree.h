// SPDX-License-Identifier: MIT
// The tree of objects as a list of lines: the machine and its processes. Below a process are its
// objects in the kernel (below its Process object) and its own. Each object is listed once. What no
// object refers to comes last. The graph may have any shape, also cycles. A machine without
// processes has only the kernel's tree.
#ifndef KOV_TREE_H
#define KOV_TREE_H

#include "machine/snapshot.h"

#define TREE_ROOT_CLASS "Kernel"
#define TREE_MAX_DEPTH 48 // deeper objects are listed at this depth
#define TREE_EVERYTHING UINT32_MAX

enum tree_kind { TREE_OBJECT, TREE_MACHINE, TREE_PROCESS, TREE_KERNEL_SIDE, TREE_USER_SIDE };

struct tree_entry {
    enum tree_kind kind;
    u32 pid;       // of a TREE_PROCESS; 0: the kernel
    size_t object; // of a TREE_OBJECT: its index in the snapshot
    u32 depth;
    bool last;         // the last one of its siblings
    bool shared;       // child of several objects
    bool unreferenced; // not reached from the root
};

struct tree {
    struct tree_entry *entries;
    size_t count, capacity;
};

// Builds the tree. only: one process with both its sides; 0: the kernel alone; TREE_EVERYTHING.
void tree_build(const struct snapshot *snapshot, u32 only, struct tree *tree);

// Keeps the objects for which wanted[index in the snapshot] is set, and what is above them. With
// `processes` it also keeps lines of processes that have nothing below them.
void tree_filter(struct tree *tree, const bool *wanted, bool processes);
// Sets `last` of each line.
void tree_mark_last(struct tree *tree);
void tree_free(struct tree *tree);

#endif
