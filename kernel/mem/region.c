// SPDX-License-Identifier: MIT
// Regions: protection, growing and shrinking, and the way of a fault to the memory object.
#include "region.h"

#include "fcm.h"
#include "hat.h"
#include "pm.h"
#include "share.h"
#include "space.h"

#include <kernel/panic.h>
#include <orrery/errors.h>
#include <string.h>
#include <trace/events.h>

static CO_METHOD s64 region_fault(struct region *self, struct fault *fault)
{
    CO_HOME(self);
    fault->region = self;
    fault->page = (fault->address - self->start) / PAGE_SIZE;
    trace_fault_objects(self->root.coid, self->fcm->root.coid);
    return CO_CALL(struct fcm_rep, self->fcm->root.coid, fault, fault);
}

static CO_METHOD s64 region_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return ((struct region *)self)->fcm != NULL;
}

static CO_METHOD s64 region_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct region *region = (struct region *)self;

    if (region->fcm == NULL || max == 0)
        return 0;
    out[0] = region->fcm->root.coid;
    return 1;
}

static void region_root_destroy(struct co_root *root)
{
    struct region *region = container_of(root, struct region, root);

    page_map_destroy(&region->protections);
    kfree(region);
}

static const struct region_ops ops = {{region_get_num_children, region_get_children}, region_fault};

#define REGION_CLASS(text)                                                                         \
    {                                                                                              \
        .name = "Region", .implementation = (text), .size = sizeof(struct region),                 \
        .ops = &ops.base, .destroy = region_root_destroy                                           \
    }
static struct co_class classes[] = {
    [REGION_WIRED] = REGION_CLASS("RegionWired"),
    [REGION_ANONYMOUS] = REGION_CLASS("RegionAnonymous"),
    [REGION_STACK] = REGION_CLASS("RegionStack"),
    [REGION_COMMIT] = REGION_CLASS("RegionCommit"),
    [REGION_SHARED] = REGION_CLASS("RegionShared"),
    [REGION_PRIVATE] = REGION_CLASS("RegionPrivate"),
};

struct region *region_create(struct address_space *space, struct hat *hat,
                             const struct sys_region *wanted, struct fcm *fcm)
{
    struct region *region = kzalloc(sizeof(*region));

    if (region == NULL)
        return NULL;
    region->space = space;
    region->hat = hat;
    region->start = wanted->address;
    region->pages = wanted->bytes / PAGE_SIZE;
    region->kind = (u8)wanted->kind;
    region->prot = wanted->prot;
    region->text = wanted->prot & PROT_X;
    region->fcm = fcm;
    region->sharable = share_is_possible(region);
    region->first = wanted->kind == REGION_SHARED ? wanted->offset / PAGE_SIZE : 0;
    page_map_init(&region->protections, RANK_PRIVATE, space->pm);
    if (co_create_shared(&classes[region->kind], &region->root, &region->co) < 0) {
        kfree(region);
        return NULL;
    }
    return region;
}

// Whoever shares the pages with others must know of us, to take mappings away.
struct fcm *region_shared_fcm(const struct region *region)
{
    if (region->fcm == NULL)
        return NULL;
    return region->kind == REGION_SHARED ? region->fcm : region->fcm->source;
}

void region_close(struct region *region)
{
    KASSERT(region->root.magic == CO_ROOT_MAGIC);
    region->closed = true;
    if (region->fcm != NULL)
        fcm_drain_faults(region->fcm, region->first, region->pages);
    hat_unmap(region->hat, region->start, region->pages * PAGE_SIZE);
}

void region_reopen(struct region *region)
{
    region->closed = false;
}

void region_destroy(struct region *region)
{
    if (!region->closed)
        region_close(region);
    struct fcm *shared = region_shared_fcm(region);
    if (shared != NULL)
        fcm_remove_user(shared, region);
    if (shared != NULL && shared->detached != NULL)
        shared->detached(shared);
    if (region->held != NULL)
        space_let_go(region->space, region->held);
    if (region->fcm != NULL)
        fcm_put(region->fcm);
    page_map_uncharge(&region->protections);
    if (region->wired != NULL)
        pages_free(region->wired, region->wired_order);
    co_destroy(region->root.coid);
}

// ---- protection ---------------------------------------------------------------------------------

u32 region_protection(const struct region *region, u64 page)
{
    if (!region->overridden)
        return region->prot;
    struct page_leaf *leaf = page_map_find(&region->protections, page);
    u64 entry = leaf != NULL ? *page_map_entry(leaf, page) : 0;
    return entry & ENTRY_PROT_SET ? (u32)(entry & ENTRY_PROT) : region->prot;
}

// Sets the protection of single pages. Private regions keep it with their pages, REGION_SHARED in a
// map of its own.
static bool set_single(struct region *region, u64 first, u64 count, u64 clear, u64 set, bool make)
{
    if (region_is_private(region))
        return fcm_set_flags(region->fcm, first, count, clear, set, make);
    return page_map_set_flags(&region->protections, NULL, first, count, clear, set, make);
}

s64 region_protect(struct region *region, u64 first, u64 count, u32 prot)
{
    u64 mask = ENTRY_PROT | ENTRY_PROT_SET;

    region->sharable = false;
    if (first == 0 && count == region->pages) {
        region->prot = prot;
        set_single(region, first, count, mask, 0, false);
    } else {
        if (count > PROTECT_MAX)
            return E_LIMIT;
        if (!set_single(region, first, count, mask, prot | ENTRY_PROT_SET, true))
            return E_NOMEM;
        region->overridden = true;
    }
    fcm_drain_faults(region->fcm, region->first + first, count);
    hat_unmap(region->hat, region->start + first * PAGE_SIZE, count * PAGE_SIZE);
    return 0;
}

// ---- growing and shrinking ----------------------------------------------------------------------

// Pages that are made here are mapped at once.
static void map_committed(struct region *region, u64 first, u64 count, u32 prot)
{
    u32 access = prot & PROT_R ? PROT_R : prot & PROT_X;

    for (u64 page = first; page < first + count && access != 0; page++) {
        struct fault fault = {.address = region->start + page * PAGE_SIZE, .access = access};
        CO_CALL(struct region, region->root.coid, fault, &fault);
    }
}

// Sees to it that pages can be made: that enough frames are free, and that tables are there. Tables
// may stay behind.
static s64 prepare(const struct region *region, u64 first, u64 count)
{
    u64 missing = count - fcm_resident(region->fcm, region->first + first, count);
    u64 end = region->start + (first + count) * PAGE_SIZE;
    struct segment *segment;
    s64 error = 0;

    if (missing > 0 && !pm_has_room_to_commit(region->fcm->pm, missing))
        return E_NOMEM;
    for (u64 address = region->start + first * PAGE_SIZE; address < end && error == 0;
         address = ALIGN_DOWN(address, SEGMENT_BYTES) + SEGMENT_BYTES)
        error = hat_segment(region->hat, address, &segment);
    return error;
}

s64 region_commit(struct region *region, u64 first, u64 count, u32 prot)
{
    s64 error = prepare(region, first, count);

    if (error == 0)
        error = fcm_populate(region->fcm, first, count);
    if (error != 0) {
        fcm_drop_uncommitted(region->fcm, first, count);
        return error;
    }
    fcm_set_flags(region->fcm, first, count, ENTRY_PROT, prot | ENTRY_PROT_SET | ENTRY_COMMITTED,
                  false);
    hat_unmap(region->hat, region->start + first * PAGE_SIZE, count * PAGE_SIZE);
    map_committed(region, first, count, prot);
    return 0;
}

// Frames that were made before an error stay: others may have seen them.
s64 region_populate(struct region *region, u64 first, u64 count)
{
    u64 end = region->first + first + count;

    if (!fcm_is_anonymous(region->fcm) || end > fcm_pages(region->fcm))
        return E_INVAL;
    s64 error = prepare(region, first, count);
    if (error == 0)
        error = fcm_populate(region->fcm, region->first + first, count);
    if (error == 0)
        map_committed(region, first, count, region->prot);
    return error;
}

void region_decommit(struct region *region, u64 first, u64 count)
{
    fcm_drop(region->fcm, region, first, count, ENTRY_COMMITTED | ENTRY_PROT | ENTRY_PROT_SET);
}

void region_shrink(struct region *region, u64 pages)
{
    u64 before = region->pages;
    u64 flags = ENTRY_COMMITTED | ENTRY_PROT | ENTRY_PROT_SET;

    region->pages = pages;
    fcm_drain_faults(region->fcm, region->first + pages, before - pages);
    hat_unmap(region->hat, region->start + pages * PAGE_SIZE, (before - pages) * PAGE_SIZE);
    if (region_is_private(region))
        fcm_drop(region->fcm, region, pages, before - pages, flags);
    else
        page_map_set_flags(&region->protections, NULL, pages, before - pages, flags, 0, false);
}

void region_grow(struct region *region, u64 pages)
{
    if (region_is_private(region))
        region->fcm->bytes = pages * PAGE_SIZE;
    region->pages = pages;
}
