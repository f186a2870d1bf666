// SPDX-License-Identifier: MIT
// The pages of a file as its server sees them: supplied, taken, cut off; which are dirty;
// which frames go.
#include "file.h"

#include "hat.h"
#include "pm.h"
#include "share.h"

#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>

// ---- mappings of a page -------------------------------------------------------------------------

// Returns where a region would map a page of the file, or 0 if it does not.
static u64 address_in(const struct region *region, const struct fcm *file, u64 page)
{
    u64 first = region->fcm == file ? region->first : region->fcm->source_first;

    if (page < first || page - first >= region->pages)
        return 0;
    return region->start + (page - first) * PAGE_SIZE;
}

// Unmaps a frame from all regions. With the page's lock held.
void file_unmap_page(struct file *file, u64 page, u64 frame)
{
    spin_lock(&file->fcm.users_lock);
    for (struct region *region = file->fcm.users; region != NULL; region = region->next_user) {
        u64 address = address_in(region, &file->fcm, page);
        if (address != 0)
            hat_unmap_page(region->hat, address, frame);
    }
    spin_unlock(&file->fcm.users_lock);
    share_unmap(&file->fcm, page, frame);
}

// ---- what the server does -----------------------------------------------------------------------

// Puts a frame in where there is none: whether it did.
static bool put_page(struct file *file, struct page_leaf *leaf, u64 page, u64 frame)
{
    spin_lock(&leaf->lock);
    u64 *entry = page_map_entry(leaf, page);
    bool missing = !(*entry & ENTRY_PAGE) && page < fcm_pages(&file->fcm);
    if (missing)
        *entry = frame | ENTRY_REFERENCED;
    spin_unlock(&leaf->lock);
    return missing;
}

static s64 supply_page(struct file *file, u64 page, const void *from)
{
    struct page_leaf *leaf = page_map_get(&file->fcm.pages, page);
    s64 frame = leaf != NULL ? pm_alloc(file->fcm.pm) : E_NOMEM;

    if (frame < 0)
        return E_NOMEM;
    frame_copy(phys_to_virt((u64)frame), from);
    if (!put_page(file, leaf, page, (u64)frame))
        pm_free(file->fcm.pm, (u64)frame);
    return 0;
}

s64 file_supply(struct file *file, u64 page, const void *from, s64 status)
{
    s64 error = 0;

    if (page >= fcm_pages(&file->fcm))
        status = E_INVAL;
    else if (status == 0)
        status = error = supply_page(file, page, from);
    trace_file_supply(file->fcm.root.coid, page, status);
    file_complete(file, page, status);
    file_pump(file);
    return error;
}

s64 file_take(struct file *file, u64 page, void *to)
{
    struct page_leaf *leaf = page_map_find(&file->fcm.pages, page);

    if (leaf == NULL)
        return E_NOENT;
    spin_lock(&leaf->lock);
    u64 *entry = page_map_entry(leaf, page);
    u64 frame = *entry & ENTRY_PAGE;
    if (frame != 0) {
        file_unmap_page(file, page, frame); // the next write is noticed again
        frame_copy(to, phys_to_virt(frame));
        *entry &= ~(ENTRY_DIRTY | ENTRY_WRITTEN);
    }
    spin_unlock(&leaf->lock);
    return frame != 0 ? 0 : E_NOENT;
}

// Takes the frames out of one leaf that which() names: how many.
static u32 take_frames(struct file *file, struct page_leaf *leaf, file_page_test *which,
                       u64 frames[LEAF_PAGES])
{
    u32 count = 0;

    spin_lock(&leaf->lock);
    for (u64 page = leaf->first; page < leaf->first + LEAF_PAGES; page++) {
        u64 *entry = page_map_entry(leaf, page);
        if (!(*entry & ENTRY_PAGE) || !which(file, page, entry))
            continue;
        frames[count++] = *entry & ENTRY_PAGE;
        *entry = 0;
    }
    spin_unlock(&leaf->lock);
    return count;
}

u32 file_drop_leaf(struct file *file, struct page_leaf *leaf, file_page_test *which)
{
    u64 frames[LEAF_PAGES];
    u32 count = take_frames(file, leaf, which, frames);

    for (u32 i = 0; i < count; i++)
        pm_free(file->fcm.pm, frames[i]);
    return count;
}

void file_drop(struct file *file, u64 first, file_page_test *which)
{
    struct page_leaf *leaf;

    for (u64 page = first; (leaf = page_map_next(&file->fcm.pages, page)) != NULL;
         page = leaf->first + LEAF_PAGES)
        file_drop_leaf(file, leaf, which);
}

static bool is_beyond_end(struct file *file, u64 page, u64 *entry)
{
    if (page < fcm_pages(&file->fcm))
        return false;
    file_unmap_page(file, page, *entry & ENTRY_PAGE);
    return true;
}

static bool is_clean(struct file *file, u64 page, u64 *entry)
{
    if (*entry & ENTRY_DIRTY)
        return false;
    file_unmap_page(file, page, *entry & ENTRY_PAGE);
    return true;
}

// Clears the last page behind the file's end. It must be zero when the file grows again.
static void clear_tail(struct file *file, u64 bytes)
{
    struct page_leaf *leaf = page_map_find(&file->fcm.pages, bytes / PAGE_SIZE);

    if (leaf == NULL || bytes % PAGE_SIZE == 0)
        return;
    spin_lock(&leaf->lock);
    u64 frame = *page_map_entry(leaf, bytes / PAGE_SIZE) & ENTRY_PAGE;
    if (frame != 0)
        memset((char *)phys_to_virt(frame) + bytes % PAGE_SIZE, 0, PAGE_SIZE - bytes % PAGE_SIZE);
    spin_unlock(&leaf->lock);
}

void file_resize(struct file *file, u64 bytes, bool invalidate)
{
    bool shorter = bytes < file->fcm.bytes;

    *(volatile u64 *)&file->fcm.bytes = bytes;
    if (shorter) {
        page_map_fence(&file->fcm.pages);
        file_drop(file, bytes / PAGE_SIZE, is_beyond_end);
        clear_tail(file, bytes);
    }
    if (invalidate)
        file_drop(file, 0, is_clean);
}

// ---- dirty pages --------------------------------------------------------------------------------

bool file_next_unwritten(struct file *file, u64 *page)
{
    struct page_leaf *leaf;

    for (u64 at = *page; (leaf = page_map_next(&file->fcm.pages, at)) != NULL;) {
        at = leaf_begin(leaf, at);
        spin_lock(&leaf->lock);
        for (; at < leaf->first + LEAF_PAGES; at++) {
            u64 *entry = page_map_entry(leaf, at);
            if ((*entry & (ENTRY_DIRTY | ENTRY_WRITTEN)) == ENTRY_DIRTY) {
                *entry |= ENTRY_WRITTEN;
                spin_unlock(&leaf->lock);
                *page = at;
                return true;
            }
        }
        spin_unlock(&leaf->lock);
    }
    return false;
}

void file_mark_unwritten(struct file *file, u64 page)
{
    struct page_leaf *leaf = page_map_find(&file->fcm.pages, page);

    spin_lock(&leaf->lock);
    *page_map_entry(leaf, page) &= ~ENTRY_WRITTEN;
    spin_unlock(&leaf->lock);
}
