// SPDX-License-Identifier: MIT
// Fault-around: who reads a page of a file gets those beside it as well, as far as they are there
// without a gap. Most programs read on, and a fault costs far more than an entry of a table.
#include "file.h"
#include "segment.h"

#define AROUND 16UL // pages, aligned, so that they lie in one segment

// Maps a page where nothing is mapped, if it can be read without more work: whether it did. What is
// mapped counts as used (file_reclaim.c).
static inline bool map_one(u64 *slot, u64 *entry, u64 protection)
{
    u64 has = *entry;

    if (*slot != 0 || !(has & ENTRY_PAGE) || ((protection & PTE_EXEC) && !(has & ENTRY_COHERENT)))
        return false;
    *entry = has | ENTRY_REFERENCED;
    __atomic_store_n(slot, protection | (has & ENTRY_PAGE), __ATOMIC_RELEASE);
    return true;
}

void file_map_around(struct file *file, struct fault *fault, struct page_leaf *leaf, u64 page,
                     u32 prot)
{
    const struct region *region = fault->region;
    const u64 *own = NULL; // what a private region has at the page: a copy, a protection
    u64 in_window = fault->address / PAGE_SIZE % AROUND;
    u64 end = leaf_end(leaf, fcm_pages(&file->fcm));
    u64 pages = region_is_private(region) ? min_u64(region->pages, region->fcm->source_pages)
                                          : region->pages;

    // Either may have become shorter just now.
    if (end <= page || pages <= fault->page)
        return;
    if (region->overridden || prot != (region->prot & ~PROT_W) || fault->force)
        return;
    u64 before = min_u64(min_u64(in_window, page % LEAF_PAGES), fault->page);
    u64 after = min_u64(min_u64(AROUND - in_window, end - page), pages - fault->page);
    if (region_is_private(region)) {
        const struct page_leaf *own_leaf = page_map_find(&region->fcm->pages, fault->page);
        own = &own_leaf->entries[fault->page % LEAF_PAGES];
        before = min_u64(before, fault->page % LEAF_PAGES);
        after = min_u64(after, LEAF_PAGES - fault->page % LEAF_PAGES);
    }
    u64 *slot = segment_slot(fault->segment, fault->address);
    u64 *entry = page_map_entry(leaf, page);
    u64 protection = segment_entry(0, prot);
    for (u64 i = 1; i < after && (own == NULL || own[i] == 0); i++) {
        if (!map_one(slot + i, entry + i, protection))
            break;
    }
    for (u64 i = 1; i <= before && (own == NULL || *(own - i) == 0); i++) {
        if (!map_one(slot - i, entry - i, protection))
            break;
    }
}
