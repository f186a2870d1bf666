// SPDX-License-Identifier: MIT
// FCMComputation: anonymous memory. Pages are zero until written; over a source, pages are the
// source's until written (copy-on-write). Two implementations, which differ in their locks and
// representatives: shared (one lock, one rep), for what few threads use at a time, and distributed
// (a lock every 32 pages, a rep a CPU).
#include "fcm.h"
#include "hat.h"
#include "pm.h"
#include "segment.h"
#include "share.h"

#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <orrery/errors.h>
#include <string.h>

#define FRAME_WANTED 100 // internal: beside enum fault_result

// A fault on its way through one FCM.
struct attempt {
    struct fault *fault;
    struct fcm *fcm;
    u64 *entry;
    u64 frame; // to use if the page needs one; 0: none yet
};

// Returns the protection of the page, or -1 when it is not to be had at all.
static s64 protection(const struct attempt *attempt)
{
    const struct region *region = attempt->fault->region;
    u64 entry = *attempt->entry;

    if (region->closed || attempt->fault->page >= region->pages)
        return -1;
    if (!attempt->fcm->private) {
        bool inside = region->first + attempt->fault->page < fcm_pages(attempt->fcm);
        return inside ? (s64)region_protection(region, attempt->fault->page) : -1;
    }
    if (region->kind == REGION_COMMIT && !(entry & ENTRY_COMMITTED))
        return -1;
    return entry & ENTRY_PROT_SET ? (s64)(entry & ENTRY_PROT) : region->prot;
}

static bool permits(const struct attempt *attempt, s64 prot)
{
    if (prot < 0)
        return false;
    return (prot & attempt->fault->access) || (attempt->fault->force && attempt->fcm->private);
}

// Maps a page that has a frame.
static inline s64 computation_map_own(struct attempt *attempt, u32 prot)
{
    struct fault *fault = attempt->fault;
    u64 frame = *attempt->entry & ENTRY_PAGE;

    if (prot & PROT_W) {
        *attempt->entry &= ~ENTRY_COHERENT;
    } else if ((prot & PROT_X) && !(*attempt->entry & ENTRY_COHERENT)) {
        frame_make_coherent(frame);
        *attempt->entry |= ENTRY_COHERENT;
    }
    if (prot != 0)
        segment_map(fault->segment, fault->address, frame, prot);
    return FAULT_RESOLVED;
}

// Gives a page the frame at its first write, with the source's contents if there is one.
static s64 give_frame(struct attempt *attempt, u32 prot)
{
    struct fcm *fcm = attempt->fcm;

    if (attempt->frame == 0)
        return FRAME_WANTED;
    struct fcm *source = fcm_source_of(fcm, attempt->fault->page);
    if (source != NULL) {
        s64 result =
            CO_CALL(struct fcm_rep, source->root.coid, copy, attempt->fault,
                    fcm->source_first + attempt->fault->page, phys_to_virt(attempt->frame));
        if (result != FAULT_RESOLVED)
            return result;
    }
    *attempt->entry |= attempt->frame;
    attempt->frame = 0;
    return computation_map_own(attempt, prot);
}

// Resolves a fault on the page. The caller holds its lock.
static s64 resolve(struct attempt *attempt)
{
    struct fault *fault = attempt->fault;
    struct fcm *fcm = attempt->fcm;
    s64 prot = protection(attempt);

    if (!permits(attempt, prot))
        return FAULT_BAD;
    if ((*attempt->entry & ENTRY_PAGE) && segment_is_shared(fault->segment))
        return FAULT_RESOLVED; // the frame came just now: once more, with a segment of its own
    if (*attempt->entry & ENTRY_PAGE)
        return computation_map_own(attempt, (u32)prot);
    if (fault->access == PROT_W || !fcm->private)
        return give_frame(attempt, (u32)prot);
    u32 read_only = (u32)prot & ~PROT_W;
    struct fcm *source = fcm_source_of(fcm, fault->page);
    if (source != NULL)
        return CO_CALL(struct fcm_rep, source->root.coid, lend, fault,
                       fcm->source_first + fault->page, read_only);
    segment_map(fault->segment, fault->address, zero_frame, read_only);
    return FAULT_RESOLVED;
}

// Zeroing happens here, with no lock held.
static s64 get_frame(struct attempt *attempt)
{
    s64 frame = pm_alloc(attempt->fcm->pm);

    if (frame < 0)
        return FAULT_NO_MEMORY;
    attempt->frame = (u64)frame;
    if (fcm_source_of(attempt->fcm, attempt->fault->page) == NULL)
        frame_zero(attempt->frame);
    return FAULT_RESOLVED;
}

// Finds the segment to map in: one shared with other spaces if that is possible. A page with a
// frame of its own ends the sharing. In a region that cannot be written only the loader makes one.
static inline s64 find_segment(struct fault *fault)
{
    if (fault->region->sharable) {
        if (fault->access == PROT_W)
            fault->region->sharable = false;
        fault->segment = share_segment(fault);
        if (fault->segment != NULL)
            return 0;
    }
    fault->segment = hat_segment_own(fault->region->hat, fault->address);
    if (fault->segment != NULL)
        return 0;
    return hat_segment(fault->region->hat, fault->address, &fault->segment);
}

static CO_METHOD s64 computation_fault(struct fcm_rep *self, struct fault *fault)
{
    CO_HOME(self);
    struct fcm *fcm = self->fcm;
    u64 page = fault->page + fault->region->first;
    struct page_leaf *leaf = page_map_find(&fcm->pages, page);
    struct attempt attempt = {.fault = fault, .fcm = fcm};
    s64 result = FRAME_WANTED;

    if (leaf == NULL)
        leaf = page_map_get(&fcm->pages, page);
    if (leaf == NULL || find_segment(fault) != 0)
        return FAULT_NO_MEMORY;
    attempt.entry = page_map_entry(leaf, page);
    bool wanted = !(*attempt.entry & ENTRY_PAGE) && (fault->access == PROT_W || !fcm->private);
    self->faults++;
    while (result == FRAME_WANTED) {
        if (wanted && (result = get_frame(&attempt)) != FAULT_RESOLVED)
            break;
        spin_lock(fcm_lock_of(fcm, leaf));
        result = resolve(&attempt);
        spin_unlock(fcm_lock_of(fcm, leaf));
        wanted = attempt.frame == 0;
    }
    if (attempt.frame != 0)
        pm_free(fcm->pm, attempt.frame);
    return result;
}

// ---- as source of private FCMs ------------------------------------------------------------------

// A page that nobody has written yet shows as zeroes.
static CO_METHOD s64 computation_lend(struct fcm_rep *self, struct fault *fault, u64 page, u32 prot)
{
    CO_HOME(self);
    struct page_leaf *leaf = page_map_find(&self->fcm->pages, page);
    u64 entry = leaf != NULL ? *page_map_entry(leaf, page) : 0;

    if (page >= fcm_pages(self->fcm))
        return FAULT_BAD;
    u64 frame = entry & ENTRY_PAGE ? entry & ENTRY_PAGE : zero_frame;
    if (prot & PROT_X)
        frame_make_coherent(frame);
    segment_map(fault->segment, fault->address, frame, prot);
    return FAULT_RESOLVED;
}

static CO_METHOD s64 computation_copy(struct fcm_rep *self, struct fault *fault, u64 page, void *to)
{
    CO_HOME(self);
    struct page_leaf *leaf = page_map_find(&self->fcm->pages, page);
    u64 entry = leaf != NULL ? *page_map_entry(leaf, page) : 0;

    (void)fault;
    if (page >= fcm_pages(self->fcm))
        return FAULT_BAD;
    frame_copy(to, phys_to_virt(entry & ENTRY_PAGE ? entry & ENTRY_PAGE : zero_frame));
    return FAULT_RESOLVED;
}

// ---- the kernel's access ------------------------------------------------------------------------

// Transfers to or from a page that has no frame here.
static s64 transfer_missing(const struct fcm *fcm, struct transfer *transfer)
{
    if (transfer->from != NULL)
        return E_AGAIN;
    struct fcm *source = fcm_source_of(fcm, transfer->page);
    if (source == NULL) {
        memset(transfer->to, 0, transfer->bytes);
        return 0;
    }
    struct transfer further = *transfer;
    further.page += fcm->source_first;
    return CO_CALL(struct fcm_rep, source->root.coid, transfer, &further);
}

static CO_METHOD s64 computation_transfer(struct fcm_rep *self, struct transfer *transfer)
{
    CO_HOME(self);
    struct fcm *fcm = self->fcm;
    struct page_leaf *leaf = page_map_find(&fcm->pages, transfer->page);

    if (leaf == NULL)
        return transfer_missing(fcm, transfer);
    spin_lock(fcm_lock_of(fcm, leaf));
    u64 entry = *page_map_entry(leaf, transfer->page);
    s64 result =
        entry & ENTRY_PAGE ? transfer_frame(transfer, entry) : transfer_missing(fcm, transfer);
    spin_unlock(fcm_lock_of(fcm, leaf));
    return result;
}

static CO_METHOD s64 computation_end(struct fcm_rep *self)
{
    CO_HOME(self);
    fcm_drop(self->fcm, NULL, 0, fcm_pages(self->fcm), 0);
    return 0;
}

// ---- scan, life ---------------------------------------------------------------------------------

static CO_METHOD s64 computation_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return ((struct fcm_rep *)self)->fcm->source != NULL;
}

static CO_METHOD s64 computation_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct fcm *source = ((struct fcm_rep *)self)->fcm->source;

    if (source == NULL || max == 0)
        return 0;
    out[0] = source->root.coid;
    return 1;
}

static s64 computation_handle_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    struct fcm_rep *made = kzalloc(sizeof(*made));

    (void)cpu;
    if (made == NULL)
        return E_NOMEM;
    made->fcm = (struct fcm *)root;
    *rep = &made->co;
    return 0;
}

static void computation_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    kfree(rep);
}

static void computation_destroy(struct co_root *root)
{
    struct fcm *fcm = (struct fcm *)root;

    page_map_destroy(&fcm->pages);
    kfree(fcm);
}

static const struct fcm_ops ops = {{computation_get_num_children, computation_get_children},
                                   computation_fault,
                                   computation_lend,
                                   computation_copy,
                                   computation_transfer,
                                   computation_end};
static struct co_class shared_class = {
    .name = "FCMComputation",
    .implementation = "FCMComputationShared",
    .size = sizeof(struct fcm),
    .ops = &ops.base,
    .destroy = computation_destroy,
};
static struct co_class distributed_class = {
    .name = "FCMComputation",
    .implementation = "FCMComputationDistributed",
    .size = sizeof(struct fcm) + sizeof(struct fcm_rep),
    .root_size = sizeof(struct fcm),
    .distributed = true,
    .ops = &ops.base,
    .handle_miss = computation_handle_miss,
    .destroy_rep = computation_destroy_rep,
    .destroy = computation_destroy,
};

static struct fcm *computation_make(const char *name, u64 bytes, struct pm *pm, bool private,
                                    bool distributed)
{
    struct fcm *fcm = kzalloc(sizeof(*fcm));

    if (fcm == NULL)
        return NULL;
    fcm_init(fcm, name, bytes, pm, private);
    fcm->single_lock = !distributed;
    s64 coid = distributed ? co_create(&distributed_class, &fcm->root)
                           : co_create_shared(&shared_class, &fcm->root, &fcm->rep.co);
    if (coid < 0) {
        kfree(fcm);
        return NULL;
    }
    pm_hold(pm);
    return fcm;
}

struct fcm *fcm_create_private(const char *name, u64 pages, struct pm *pm, bool distributed)
{
    return computation_make(name, pages * PAGE_SIZE, pm, true, distributed);
}

struct fcm *fcm_create_over(struct fcm *source, u64 first, u64 source_pages, u64 pages,
                            struct pm *pm, bool distributed)
{
    struct fcm *fcm = fcm_create_private(source->name, pages, pm, distributed);

    if (fcm != NULL) {
        fcm->source = source;
        fcm->source_first = first;
        fcm->source_pages = source_pages;
    }
    return fcm;
}

struct fcm *fcm_create_anonymous(const char *name, u64 bytes, bool distributed)
{
    struct pm *pm = pm_of_caller();
    struct fcm *fcm = computation_make(name, bytes, pm, false, distributed);

    pm_put(pm);
    return fcm;
}

struct fcm *fcm_create_published(const char *name, u64 pages, void *at[])
{
    struct fcm *fcm = fcm_create_anonymous(name, pages * PAGE_SIZE, false);

    if (fcm == NULL)
        return NULL;
    fcm->read_only = true;
    if (fcm_populate(fcm, 0, pages) != 0) {
        fcm_put(fcm);
        return NULL;
    }
    for (u64 page = 0; page < pages; page++) {
        u64 entry = *page_map_entry(page_map_find(&fcm->pages, page), page);
        at[page] = phys_to_virt(entry & ENTRY_PAGE);
    }
    return fcm;
}

bool fcm_is_anonymous(const struct fcm *fcm)
{
    return fcm->root.class == &distributed_class || fcm->root.class == &shared_class;
}

s64 fcm_make_resident(struct fcm *fcm, u64 frames[])
{
    s64 error = fcm_populate(fcm, 0, fcm_pages(fcm));

    for (u64 page = 0; page < fcm_pages(fcm) && error == 0; page++)
        frames[page] = *page_map_entry(page_map_find(&fcm->pages, page), page) & ENTRY_PAGE;
    return error;
}
