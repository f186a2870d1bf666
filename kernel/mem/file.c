// SPDX-License-Identifier: MIT
// FCMFile: the pages of a file that a server keeps. They are fetched when first needed, written pages are the server's
// to take, and clean ones can be reclaimed, in the manner of a clock.
#include "file.h"

#include "hat.h"
#include "pm.h"
#include "share.h"

#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>

// ---- mappings of a page --------------------------------------------------------------------------

// Where a region would map a page of the file; 0: not there.
static u64 address_in(const struct region *region, const struct fcm *file, u64 page)
{
    u64 first = region->fcm == file ? region->first : region->fcm->source_first;

    if (page < first || page - first >= region->pages)
        return 0;
    return region->start + (page - first) * PAGE_SIZE;
}

// No region maps the frame any more. With the page's lock held.
static void unmap_everywhere(struct file *file, u64 page, u64 frame)
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

// ---- faults --------------------------------------------------------------------------------------

// A page that is there: maps it. prot has PROT_W only if it may become dirty now.
static s64 map_present(struct fault *fault, u64 *entry, u32 prot)
{
    u64 frame = *entry & ENTRY_PAGE;

    if ((prot & PROT_X) && !(*entry & ENTRY_COHERENT)) {
        frame_make_coherent(frame);
        *entry |= ENTRY_COHERENT;
    }
    *entry |= ENTRY_REFERENCED;
    hat_map(fault->region->hat, fault->segment, fault->address, frame, prot);
    return FAULT_RESOLVED;
}

static s64 wait_for(struct file *file, struct fault *fault, u64 page)
{
    if (fault->wait == FAULT_TRY)
        return FAULT_WAIT;
    fault->pump = file;
    return file_wait(file, page, fault->wait);
}

// For a region that maps the file itself. Pages are mapped writable at the first write only, which makes them
// dirty.
static s64 resolve(struct file *file, struct fault *fault, u64 page, u64 *entry)
{
    const struct region *region = fault->region;
    u32 prot = region_protection(region, fault->page);

    if (region->closed || fault->page >= region->pages || page >= fcm_pages(&file->fcm))
        return FAULT_BAD;
    if (!(prot & fault->access))
        return FAULT_BAD;
    if (!(*entry & ENTRY_PAGE))
        return wait_for(file, fault, page);
    if (fault->access == PROT_W) {
        *entry = (*entry & ~(ENTRY_COHERENT | ENTRY_WRITTEN)) | ENTRY_DIRTY;
        file->dirty = true;
    } else {
        prot &= ~PROT_W;
    }
    return map_present(fault, entry, prot);
}

CO_METHOD static s64 fault(struct fcm_rep *self, struct fault *fault)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);
    u64 page = fault->page + fault->region->first;
    struct page_leaf *leaf = page_map_get(&file->fcm.pages, page);

    if (leaf == NULL || hat_segment(fault->region->hat, fault->address, &fault->segment) != 0)
        return FAULT_NO_MEMORY;
    self->faults++;
    spin_lock(&leaf->lock);
    s64 result = resolve(file, fault, page, page_map_entry(leaf, page));
    spin_unlock(&leaf->lock);
    return result;
}

// The two below are called with a private FCM's lock held, so they make no leaf: without one, the page is not there.
CO_METHOD static s64 lend(struct fcm_rep *self, struct fault *fault, u64 page, u32 prot)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);
    struct page_leaf *leaf = page_map_find(&file->fcm.pages, page);

    if (page >= fcm_pages(&file->fcm))
        return FAULT_BAD;
    if (leaf == NULL)
        return wait_for(file, fault, page);
    spin_lock(&leaf->lock);
    u64 *entry = page_map_entry(leaf, page);
    s64 result =
        *entry & ENTRY_PAGE ? map_present(fault, entry, prot) : wait_for(file, fault, page);
    spin_unlock(&leaf->lock);
    return result;
}

CO_METHOD static s64 copy(struct fcm_rep *self, struct fault *fault, u64 page, void *to)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);
    struct page_leaf *leaf = page_map_find(&file->fcm.pages, page);
    s64 result = FAULT_RESOLVED;

    if (page >= fcm_pages(&file->fcm))
        return FAULT_BAD;
    if (leaf == NULL)
        return wait_for(file, fault, page);
    spin_lock(&leaf->lock);
    u64 *entry = page_map_entry(leaf, page);
    if (*entry & ENTRY_PAGE) {
        *entry |= ENTRY_REFERENCED;
        frame_copy(to, phys_to_virt(*entry & ENTRY_PAGE));
    } else {
        result = wait_for(file, fault, page);
    }
    spin_unlock(&leaf->lock);
    return result;
}

CO_METHOD static s64 transfer(struct fcm_rep *self, struct transfer *transfer)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);
    struct page_leaf *leaf = page_map_find(&file->fcm.pages, transfer->page);
    s64 result = E_AGAIN;

    if (transfer->page >= fcm_pages(&file->fcm))
        return E_FAULT;
    if (leaf == NULL)
        return E_AGAIN;
    spin_lock(&leaf->lock);
    u64 *entry = page_map_entry(leaf, transfer->page);
    if (*entry & ENTRY_PAGE) {
        result = transfer_frame(transfer, *entry);
        if (transfer->from != NULL) {
            *entry = (*entry & ~ENTRY_WRITTEN) | ENTRY_DIRTY;
            file->dirty = true;
        }
    }
    spin_unlock(&leaf->lock);
    return result;
}

// ---- what the server does ------------------------------------------------------------------------

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
        unmap_everywhere(file, page, frame); // the next write is noticed again
        frame_copy(to, phys_to_virt(frame));
        *entry &= ~(ENTRY_DIRTY | ENTRY_WRITTEN);
    }
    spin_unlock(&leaf->lock);
    return frame != 0 ? 0 : E_NOENT;
}

// Takes the frames out of one leaf that which() names: how many.
static u32 take_frames(struct file *file, struct page_leaf *leaf,
                       bool (*which)(struct file *, u64 page, u64 *entry), u64 frames[LEAF_PAGES])
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

static u32 drop_leaf(struct file *file, struct page_leaf *leaf,
                     bool (*which)(struct file *, u64 page, u64 *entry))
{
    u64 frames[LEAF_PAGES];
    u32 count = take_frames(file, leaf, which, frames);

    for (u32 i = 0; i < count; i++)
        pm_free(file->fcm.pm, frames[i]);
    return count;
}

static void drop(struct file *file, u64 first, bool (*which)(struct file *, u64 page, u64 *entry))
{
    struct page_leaf *leaf;

    for (u64 page = first; (leaf = page_map_next(&file->fcm.pages, page)) != NULL;
         page = leaf->first + LEAF_PAGES)
        drop_leaf(file, leaf, which);
}

static bool is_beyond_end(struct file *file, u64 page, u64 *entry)
{
    if (page < fcm_pages(&file->fcm))
        return false;
    unmap_everywhere(file, page, *entry & ENTRY_PAGE);
    return true;
}

static bool is_clean(struct file *file, u64 page, u64 *entry)
{
    if (*entry & ENTRY_DIRTY)
        return false;
    unmap_everywhere(file, page, *entry & ENTRY_PAGE);
    return true;
}

// What lies behind the end in the last page must be zero when the file grows again.
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
        drop(file, bytes / PAGE_SIZE, is_beyond_end);
        clear_tail(file, bytes);
    }
    if (invalidate)
        drop(file, 0, is_clean);
}

// ---- dirty pages ---------------------------------------------------------------------------------

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

// ---- reclaim -------------------------------------------------------------------------------------

// A page used since the last look is only unmapped, so that its next use shows.
static bool is_reclaimable(struct file *file, u64 page, u64 *entry)
{
    if (*entry & ENTRY_DIRTY)
        return false;
    if (!(*entry & ENTRY_REFERENCED))
        return true;
    *entry &= ~ENTRY_REFERENCED;
    unmap_everywhere(file, page, *entry & ENTRY_PAGE);
    return false;
}

static struct file *file_of_reclaimable(struct reclaimable *object)
{
    return (struct file *)((char *)object - offsetof(struct file, reclaimable));
}

// Goes round the file once at most. The server is told of dirty pages, so that they can go next time.
static u64 reclaim(struct reclaimable *object, u64 pages)
{
    struct file *file = file_of_reclaimable(object);
    struct page_leaf *leaf = page_map_next(&file->fcm.pages, file->hand);
    u64 freed = 0;

    while (leaf != NULL && freed < pages) {
        freed += drop_leaf(file, leaf, is_reclaimable);
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

// ---- users ---------------------------------------------------------------------------------------

static void detached(struct fcm *fcm)
{
    if (file_of(fcm)->dirty)
        file_pump(file_of(fcm));
}

static void alone(struct fcm *fcm)
{
    file_of(fcm)->gone = true;
    file_pump(file_of(fcm));
}

// ---- scan, life ----------------------------------------------------------------------------------

static bool always(struct file *file, u64 page, u64 *entry)
{
    (void)file;
    (void)page;
    (void)entry;
    return true;
}

CO_METHOD static s64 end(struct fcm_rep *self)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);

    files_remove(file);
    reclaim_remove(&file->reclaimable);
    file_complete_all(file, E_PEER);
    share_end(&file->fcm);
    drop(file, 0, always);
    return 0;
}

static s64 get_num_children(struct co_rep *self)
{
    return 1 + share_coids(((struct fcm_rep *)self)->fcm, NULL, 0);
}

static s64 get_children(struct co_rep *self, coid_t *out, u32 max)
{
    struct fcm *fcm = ((struct fcm_rep *)self)->fcm;

    if (max == 0)
        return 0;
    out[0] = fr_coid(file_of(fcm)->fr);
    return 1 + share_coids(fcm, out + 1, max - 1);
}

static void destroy(struct co_root *root)
{
    struct file *file = (struct file *)root;

    fr_destroy(file->fr);
    page_map_destroy(&file->fcm.pages);
    kfree(file);
}

static const struct fcm_ops ops = {
    {get_num_children, get_children}, fault, lend, copy, transfer, end};
static struct co_class class = {
    .name = "FCMFile",
    .implementation = "FCMFile",
    .size = sizeof(struct file),
    .ops = &ops.base,
    .destroy = destroy,
};

bool fcm_is_file(const struct fcm *fcm)
{
    return fcm->root.class == &class;
}

struct file *file_create(const char *name, u64 bytes, u32 server, struct fr *fr)
{
    struct file *file = kzalloc(sizeof(*file));

    if (file == NULL)
        return NULL;
    fcm_init(&file->fcm, name, bytes, pm_root(), false);
    file->fcm.detached = detached;
    file->fcm.alone = alone;
    file->fcm.shares = true;
    file->server = server;
    file->fr = fr;
    file->reclaimable =
        (struct reclaimable){.reclaim = reclaim, .hold = reclaim_hold, .put = reclaim_put};
    if (co_create_shared(&class, &file->fcm.root, &file->fcm.rep.co) < 0) {
        pm_put(file->fcm.pm);
        kfree(file);
        return NULL;
    }
    files_add(file);
    reclaim_add(&file->reclaimable);
    return file;
}
