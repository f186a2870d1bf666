// SPDX-License-Identifier: MIT
// FCMPhysical: memory that exists already, such as the initial file system. Read-only; nothing is
// ever allocated, so there is nothing to lock but against regions that close.
#include "fcm.h"
#include "hat.h"
#include "pm.h"
#include "segment.h"
#include "share.h"

#include <orrery/errors.h>
#include <string.h>

struct physical {
    struct fcm fcm;
    u64 base;
};

static struct physical *physical_of(struct fcm_rep *rep)
{
    return (struct physical *)rep->fcm;
}

static CO_METHOD s64 physical_lend(struct fcm_rep *self, struct fault *fault, u64 page, u32 prot)
{
    CO_HOME(self);
    u64 frame = physical_of(self)->base + page * PAGE_SIZE;

    if (page >= fcm_pages(self->fcm))
        return FAULT_BAD;
    if (prot & PROT_X)
        frame_make_coherent(frame);
    segment_map(fault->segment, fault->address, frame, prot);
    return FAULT_RESOLVED;
}

static CO_METHOD s64 physical_fault(struct fcm_rep *self, struct fault *fault)
{
    CO_HOME(self);
    struct fcm *fcm = self->fcm;
    const struct region *region = fault->region;
    s64 result = FAULT_BAD;

    if (hat_segment(region->hat, fault->address, &fault->segment) != 0)
        return FAULT_NO_MEMORY;
    self->faults++;
    spin_lock(&fcm->lock);
    u32 prot = region_protection(region, fault->page) & ~PROT_W;
    if (!region->closed && fault->page < region->pages && (prot & fault->access))
        result = physical_lend(self, fault, region->first + fault->page, prot);
    spin_unlock(&fcm->lock);
    return result;
}

static CO_METHOD s64 physical_copy(struct fcm_rep *self, struct fault *fault, u64 page, void *to)
{
    CO_HOME(self);
    (void)fault;
    if (page >= fcm_pages(self->fcm))
        return FAULT_BAD;
    frame_copy(to, phys_to_virt(physical_of(self)->base + page * PAGE_SIZE));
    return FAULT_RESOLVED;
}

static CO_METHOD s64 physical_transfer(struct fcm_rep *self, struct transfer *transfer)
{
    CO_HOME(self);
    if (transfer->page >= fcm_pages(self->fcm) || transfer->to == NULL)
        return E_FAULT;
    u64 at = physical_of(self)->base + transfer->page * PAGE_SIZE + transfer->offset;
    memcpy(transfer->to, phys_to_virt(at), transfer->bytes);
    return 0;
}

static CO_METHOD s64 physical_end(struct fcm_rep *self)
{
    CO_HOME(self);
    share_end(self->fcm);
    return 0;
}

static void physical_destroy(struct co_root *root)
{
    kfree(root);
}

static CO_METHOD s64 physical_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return share_coids(((struct fcm_rep *)self)->fcm, NULL, 0);
}

static CO_METHOD s64 physical_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return share_coids(((struct fcm_rep *)self)->fcm, out, max);
}

static const struct fcm_ops ops = {{physical_get_num_children, physical_get_children},
                                   physical_fault,
                                   physical_lend,
                                   physical_copy,
                                   physical_transfer,
                                   physical_end};
static struct co_class class = {
    .name = "FCMPhysical",
    .implementation = "FCMPhysical",
    .size = sizeof(struct physical),
    .ops = &ops.base,
    .destroy = physical_destroy,
};

struct fcm *fcm_create_physical(const char *name, u64 physical, u64 bytes)
{
    struct physical *made = kzalloc(sizeof(*made));

    if (made == NULL || physical % PAGE_SIZE != 0) {
        kfree(made);
        return NULL;
    }
    fcm_init(&made->fcm, name, bytes, pm_root(), false);
    made->fcm.single_lock = true;
    made->fcm.read_only = true;
    made->fcm.shares = true;
    made->base = physical;
    if (co_create_shared(&class, &made->fcm.root, &made->fcm.rep.co) < 0) {
        pm_put(made->fcm.pm);
        kfree(made);
        return NULL;
    }
    return &made->fcm;
}
