// SPDX-License-Identifier: MIT
// FCMFile: the pages of a file that a server keeps, as those who map it see them: fetched when
// first needed, writable from the first write on. And its life.
#include "file.h"

#include "hat.h"
#include "pm.h"
#include "segment.h"
#include "share.h"

#include <orrery/errors.h>

// ---- faults -------------------------------------------------------------------------------------

// Maps a page that is there. prot has PROT_W only if it may become dirty now.
static s64 map_present(struct fault *fault, u64 *entry, u32 prot)
{
    u64 frame = *entry & ENTRY_PAGE;

    if ((prot & PROT_X) && !(*entry & ENTRY_COHERENT)) {
        frame_make_coherent(frame);
        *entry |= ENTRY_COHERENT;
    }
    *entry |= ENTRY_REFERENCED;
    segment_map(fault->segment, fault->address, frame, prot);
    return FAULT_RESOLVED;
}

static s64 wait_for(struct file *file, struct fault *fault, u64 page)
{
    if (fault->wait == FAULT_TRY)
        return FAULT_WAIT;
    fault->pump = file;
    return file_wait(file, page, fault->wait);
}

// Resolves a fault of a region that maps the file itself. Pages are mapped writable at the first
// write only, which makes them dirty.
static s64 resolve(struct file *file, struct fault *fault, struct page_leaf *leaf, u64 page)
{
    const struct region *region = fault->region;
    u64 *entry = page_map_entry(leaf, page);
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
        return map_present(fault, entry, prot);
    }
    map_present(fault, entry, prot & ~PROT_W);
    file_map_around(file, fault, leaf, page, prot & ~PROT_W);
    return FAULT_RESOLVED;
}

static CO_METHOD s64 file_fault(struct fcm_rep *self, struct fault *fault)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);
    u64 page = fault->page + fault->region->first;
    struct page_leaf *leaf = page_map_get(&file->fcm.pages, page);

    if (leaf == NULL || hat_segment(fault->region->hat, fault->address, &fault->segment) != 0)
        return FAULT_NO_MEMORY;
    self->faults++;
    spin_lock(&leaf->lock);
    s64 result = resolve(file, fault, leaf, page);
    spin_unlock(&leaf->lock);
    return result;
}

// The two below are called with a private FCM's lock held, so they make no leaf: without one,
// the page is not there.
static CO_METHOD s64 file_lend(struct fcm_rep *self, struct fault *fault, u64 page, u32 prot)
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
    if (result == FAULT_RESOLVED)
        file_map_around(file, fault, leaf, page, prot);
    spin_unlock(&leaf->lock);
    return result;
}

static CO_METHOD s64 file_copy(struct fcm_rep *self, struct fault *fault, u64 page, void *to)
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

static CO_METHOD s64 file_transfer(struct fcm_rep *self, struct transfer *transfer)
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

// ---- users --------------------------------------------------------------------------------------

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

// ---- scan, life ---------------------------------------------------------------------------------

static bool always(struct file *file, u64 page, u64 *entry)
{
    (void)file;
    (void)page;
    (void)entry;
    return true;
}

static CO_METHOD s64 file_end(struct fcm_rep *self)
{
    CO_HOME(self);
    struct file *file = file_of(self->fcm);

    files_remove(file);
    reclaim_remove(&file->reclaimable);
    file_complete_all(file, E_PEER);
    share_end(&file->fcm);
    file_drop(file, 0, always);
    return 0;
}

static CO_METHOD s64 file_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return 1 + share_coids(((struct fcm_rep *)self)->fcm, NULL, 0);
}

static CO_METHOD s64 file_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    struct fcm *fcm = ((struct fcm_rep *)self)->fcm;

    if (max == 0)
        return 0;
    out[0] = fr_coid(file_of(fcm)->fr);
    return 1 + share_coids(fcm, out + 1, max - 1);
}

static void file_destroy(struct co_root *root)
{
    struct file *file = (struct file *)root;

    fr_destroy(file->fr);
    page_map_destroy(&file->fcm.pages);
    kfree(file);
}

static const struct fcm_ops ops = {{file_get_num_children, file_get_children},
                                   file_fault,
                                   file_lend,
                                   file_copy,
                                   file_transfer,
                                   file_end};
static struct co_class class = {
    .name = "FCMFile",
    .implementation = "FCMFile",
    .size = sizeof(struct file),
    .ops = &ops.base,
    .destroy = file_destroy,
};

bool fcm_is_file(const struct fcm *fcm)
{
    return fcm->root.class == &class;
}

struct file *file_get_served(struct fcm *memory, u32 server, s64 *error)
{
    struct file *file = file_of(memory);

    if (fcm_is_file(memory) && file->server == server)
        return file;
    *error = fcm_is_file(memory) ? E_PERM : E_INVAL;
    fcm_put_quietly(memory);
    return NULL;
}

void file_put_served(struct file *file)
{
    fcm_put_quietly(&file->fcm);
}

struct file *file_create(const char *name, u64 bytes, u32 server, struct fr *fr)
{
    struct file *file = kzalloc(sizeof(*file));

    if (file == NULL)
        return NULL;
    fcm_init(&file->fcm, name, bytes, pm_of_caller(), false);
    file->fcm.detached = detached;
    file->fcm.alone = alone;
    file->fcm.shares = true;
    file->server = server;
    file->fr = fr;
    if (co_create_shared(&class, &file->fcm.root, &file->fcm.rep.co) < 0) {
        pm_put(file->fcm.pm);
        kfree(file);
        return NULL;
    }
    files_add(file);
    file_reclaim_begin(file);
    return file;
}
