// SPDX-License-Identifier: MIT
// The tree of objects as a list of lines: from the root "Kernel" down the children, each object
// once, then what no object refers to. Any graph is fine, cycles too.
#ifndef KOV_TREE_H
#define KOV_TREE_H

#include "snapshot.h"

#define TREE_ROOT_CLASS "Kernel"
#define TREE_MAX_DEPTH 48 // what lies deeper is listed at this depth

struct tree_entry {
    size_t object; // its index in the snapshot
    u32 depth;
    bool last;         // of its siblings
    bool shared;       // child of several objects
    bool unreferenced; // not reached from the root
};

struct tree {
    struct tree_entry *entries;
    size_t count, capacity;
};

void tree_build(const struct snapshot *snapshot, struct tree *tree);

// Keeps the objects for which wanted[index in the snapshot] is set, and what is above them.
void tree_filter(struct tree *tree, const bool *wanted);
// Fills in `last`.
void tree_mark_last(struct tree *tree);
void tree_free(struct tree *tree);

#endif
