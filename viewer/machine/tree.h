// SPDX-License-Identifier: MIT
// The tree of objects as a list of lines: machine, processes, and of each its objects, those in the
// kernel (below its Process object) and its own. Each object stands there once; what no object
// refers to comes last. Any graph is fine, cycles too. A machine without processes
// is the kernel's tree alone.
#ifndef KOV_TREE_H
#define KOV_TREE_H

#include "machine/snapshot.h"

#define TREE_ROOT_CLASS "Kernel"
#define TREE_MAX_DEPTH 48 // what lies deeper is listed at this depth
#define TREE_EVERYTHING UINT32_MAX

enum tree_kind { TREE_OBJECT, TREE_MACHINE, TREE_PROCESS, TREE_KERNEL_SIDE, TREE_USER_SIDE };

struct tree_entry {
    enum tree_kind kind;
    u32 pid;       // TREE_PROCESS, 0: the kernel
    size_t object; // TREE_OBJECT: its index in the snapshot
    u32 depth;
    bool last;         // of its siblings
    bool shared;       // child of several objects
    bool unreferenced; // not reached from the root
};

struct tree {
    struct tree_entry *entries;
    size_t count, capacity;
};

// only: one process with both its sides, 0: the kernel alone, TREE_EVERYTHING.
void tree_build(const struct snapshot *snapshot, u32 only, struct tree *tree);

// Keeps the objects for which wanted[index in the snapshot] is set, and what is above them; with
// `processes` also lines of processes that have nothing below.
void tree_filter(struct tree *tree, const bool *wanted, bool processes);
// Fills in `last`.
void tree_mark_last(struct tree *tree);
void tree_free(struct tree *tree);

#endif
