// SPDX-License-Identifier: MIT
// Getting page frames back from those who can do without them: files' clean pages, oldest first.
#ifndef KERNEL_MEM_RECLAIM_H
#define KERNEL_MEM_RECLAIM_H

#include <orrery/types.h>

// A memory object with pages that can be fetched again.
struct reclaimable {
    struct reclaimable *next;
    // Frees about so many pages, and returns how many. The object is held meanwhile.
    u64 (*reclaim)(struct reclaimable *object, u64 pages);
    bool (*hold)(struct reclaimable *object); // false: it is ending
    void (*put)(struct reclaimable *object);
};

void reclaim_add(struct reclaimable *object);
void reclaim_remove(struct reclaimable *object);
// Frees about so many pages of what was added, round robin. Returns how many. Thread context, no
// lock held.
u64 reclaim_pages(u64 pages);

#endif
