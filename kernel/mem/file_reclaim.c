// SPDX-License-Identifier: MIT
// Memory is short: the clean pages of a file go, in the manner of a clock.
#include "file.h"

// A page used since the last look is only unmapped, so that its next use shows.
static bool is_reclaimable(struct file *file, u64 page, u64 *entry)
{
    if (*entry & ENTRY_DIRTY)
        return false;
    if (!(*entry & ENTRY_REFERENCED))
        return true;
    *entry &= ~ENTRY_REFERENCED;
    file_unmap_page(file, page, *entry & ENTRY_PAGE);
    return false;
}

static struct file *file_of_reclaimable(struct reclaimable *object)
{
    return container_of(object, struct file, reclaimable);
}

// Goes round the file once at most. The server is told of dirty pages,
// so that they can go next time.
static u64 reclaim(struct reclaimable *object, u64 pages)
{
    struct file *file = file_of_reclaimable(object);
    struct page_leaf *leaf = page_map_next(&file->fcm.pages, file->hand);
    u64 freed = 0;

    while (leaf != NULL && freed < pages) {
        freed += file_drop_leaf(file, leaf, is_reclaimable);
        file->hand = leaf->first + LEAF_PAGES;
        leaf = page_map_next(&file->fcm.pages, file->hand);
    }
    if (leaf == NULL)
        file->hand = 0;
    if (file->dirty)
        file_pump(file);
    return freed;
}

static bool reclaim_hold(struct reclaimable *object)
{
    return fcm_try_hold(&file_of_reclaimable(object)->fcm);
}

static void reclaim_put(struct reclaimable *object)
{
    fcm_put_quietly(&file_of_reclaimable(object)->fcm);
}

void file_reclaim_begin(struct file *file)
{
    file->reclaimable =
        (struct reclaimable){.reclaim = reclaim, .hold = reclaim_hold, .put = reclaim_put};
    reclaim_add(&file->reclaimable);
}
