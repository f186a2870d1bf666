// SPDX-License-Identifier: MIT
// What system calls do with the regions of a space.
#include "space.h"

#include "fcm.h"
#include "hat.h"
#include "pm.h"
#include "segment.h"

#include <kernel/panic.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <string.h>
#include <trace/events.h>

// ---- checks -------------------------------------------------------------------------------------

static bool valid_prot(u32 prot)
{
    return prot <= (PROT_R | PROT_W | PROT_X) && (prot & (PROT_W | PROT_X)) != (PROT_W | PROT_X);
}

static bool is_page_range(u64 address, u64 bytes)
{
    return address % PAGE_SIZE == 0 && bytes % PAGE_SIZE == 0 && bytes > 0 &&
           address >= USER_START && address <= USER_END && bytes <= USER_END - address;
}

static bool overlap(u64 low, u64 end, u64 address, u64 bytes)
{
    return low < address + bytes && end > address;
}

// Addresses at which the kernel puts pages of its own: nobody else may be there first.
static bool is_the_kernels(u64 low, u64 end)
{
    bool any = overlap(low, end, USER_INSPECT, INSPECT_BYTES);

    if (!overlap(low, end, USER_WINDOW, ORRERY_MAX_CPUS * R13_WINDOW_SIZE))
        return any;
    for (u64 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        any |= overlap(low, end, USER_WINDOW + cpu * R13_WINDOW_SIZE, WINDOW_LIBRARY);
    return any;
}

static s64 check_memory(const struct sys_region *wanted, const struct fcm *memory, bool readable)
{
    if (memory == NULL || memory->private || wanted->offset % PAGE_SIZE != 0)
        return E_INVAL;
    if (wanted->offset >= USER_END || wanted->bytes > USER_END - wanted->offset)
        return E_INVAL;
    if (wanted->backed % PAGE_SIZE != 0 || wanted->backed > wanted->bytes)
        return E_INVAL;
    if (wanted->kind == REGION_SHARED && (readable || memory->read_only) && (wanted->prot & PROT_W))
        return E_PERM;
    return 0;
}

static s64 check_wanted(const struct sys_region *wanted, const struct fcm *memory, bool readable)
{
    if (wanted->kind < REGION_ANONYMOUS || wanted->kind > REGION_PRIVATE)
        return E_INVAL;
    if (!valid_prot(wanted->prot) || (wanted->flags & ~REGION_DISTRIBUTED))
        return E_INVAL;
    u64 guard = wanted->kind == REGION_STACK ? PAGE_SIZE : 0;
    u64 address = wanted->address != 0 ? wanted->address : USER_START + guard;
    if (!is_page_range(address, wanted->bytes) || address - guard < USER_START)
        return E_INVAL;
    if (is_the_kernels(address - guard, address + wanted->bytes))
        return E_EXIST;
    if (wanted->backed != 0 && wanted->kind != REGION_PRIVATE)
        return E_INVAL;
    if (wanted->kind == REGION_SHARED || wanted->kind == REGION_PRIVATE)
        return check_memory(wanted, memory, readable);
    return 0;
}

// ---- finding and adding -------------------------------------------------------------------------

static struct region_range range_of(struct region *region, u64 pages)
{
    return (struct region_range){
        .start = region->start,
        .end = region->start + pages * PAGE_SIZE,
        .low = region->start - region_guard(region),
        .region = region,
        .wired = region->kind == REGION_WIRED,
    };
}

// Adds the region, and chooses the address if there is none yet. With the space's lock held.
static s64 insert(struct address_space *space, struct region *region)
{
    u64 guard = region_guard(region);
    u64 bytes = region->pages * PAGE_SIZE;

    if (space->ending)
        return E_PEER;
    if (region_map_count(space->map) == REGIONS_MAX)
        return E_LIMIT;
    bool chosen = region->start == 0;
    if (chosen)
        region->start = region_map_gap(space->map, USER_MAP, USER_INSPECT, bytes, guard);
    if (region->start == 0)
        return E_NOMEM;
    struct region_range range = range_of(region, region->pages);
    if (!chosen && !region_map_free(space->map, range.low, range.end, NULL))
        return E_EXIST;
    struct region_map *map = region_map_with(space->map, range);
    if (map == NULL)
        return E_NOMEM;
    space_set_map(space, map);
    trace_region_attach(region->root.coid, region->fcm == NULL ? 0 : region->fcm->root.coid,
                        region->start, region->pages);
    return 0;
}

// Discards a region that has come to nothing. None of its pages is mapped, and what is there may be
// another's.
static void discard(struct region *region)
{
    region->closed = true;
    region_destroy(region);
}

static s64 operations_add(struct address_space *space, struct region *region)
{
    struct fcm *shared = region_shared_fcm(region);

    if (shared != NULL)
        fcm_add_user(shared, region);
    spin_lock(&space->lock);
    s64 error = insert(space, region);
    spin_unlock(&space->lock);
    if (error != 0)
        discard(region);
    return error;
}

// Returns the region with an address, if it can be changed. With the space's lock held.
static struct region *changeable(const struct address_space *space, u64 address)
{
    const struct region_range *range = region_map_find(space->map, address);

    if (range == NULL)
        return NULL;
    KASSERT(range->region->root.magic == CO_ROOT_MAGIC);
    return range->region->kind == REGION_WIRED ? NULL : range->region;
}

// Takes the region with an address for one operation; others wait for their turn. Returns NULL if
// no region is there.
static struct region *begin_change(struct address_space *space, u64 address)
{
    struct region *region;

    spin_lock(&space->lock);
    while ((region = changeable(space, address)) != NULL && region->changing)
        wait_queue_sleep(&space->changes, &space->lock, NO_DEADLINE);
    if (region != NULL)
        region->changing = true;
    spin_unlock(&space->lock);
    return region;
}

static void end_change(struct address_space *space, struct region *region)
{
    spin_lock(&space->lock);
    region->changing = false;
    wait_queue_wake_all(&space->changes);
    spin_unlock(&space->lock);
}

// Returns the region with all of a range, for one operation. NULL and *error if there is none.
static struct region *begin_range_change(struct address_space *space, u64 address, u64 bytes,
                                         s64 *error)
{
    if (!is_page_range(address, bytes)) {
        *error = E_INVAL;
        return NULL;
    }
    struct region *region = begin_change(space, address);
    *error = E_NOENT;
    if (region == NULL)
        return NULL;
    if (address + bytes <= region_end(region))
        return region;
    end_change(space, region);
    return NULL;
}

// ---- create, destroy, resize --------------------------------------------------------------------

static const char *name_of(u32 kind)
{
    return kind == REGION_STACK ? "stack" : kind == REGION_COMMIT ? "commit" : "anonymous";
}

// Returns the FCM that the region maps, with a reference.
static struct fcm *fcm_for(struct address_space *space, const struct sys_region *wanted,
                           struct fcm *memory)
{
    bool distributed = wanted->flags & REGION_DISTRIBUTED;
    u64 pages = wanted->bytes / PAGE_SIZE;

    if (wanted->kind < REGION_SHARED)
        return fcm_create_private(name_of(wanted->kind), pages, space->pm, distributed);
    fcm_hold(memory);
    if (wanted->kind == REGION_SHARED)
        return memory;
    u64 backed = wanted->backed != 0 ? wanted->backed / PAGE_SIZE : UINT64_MAX;
    struct fcm *fcm =
        fcm_create_over(memory, wanted->offset / PAGE_SIZE, backed, pages, space->pm, distributed);
    if (fcm == NULL)
        fcm_put(memory);
    return fcm;
}

// Makes a region that is in no list yet. memory: NULL, or in the space's account already. Returns
// NULL if out of memory.
static struct region *make_region(struct address_space *space, const struct sys_region *wanted,
                                  struct fcm *memory)
{
    struct fcm *fcm = fcm_for(space, wanted, memory);
    struct region *region = fcm != NULL ? region_create(space, space->hat, wanted, fcm) : NULL;

    if (region == NULL && fcm != NULL)
        fcm_put(fcm);
    if (region != NULL)
        region->held = memory;
    return region;
}

s64 space_region_create(struct address_space *space, struct sys_region *wanted, struct fcm *memory,
                        bool readable)
{
    s64 error = check_wanted(wanted, memory, readable);

    if (error == 0 && memory != NULL)
        error = space_hold(space, memory);
    if (error != 0)
        return error;
    struct region *region = make_region(space, wanted, memory);
    if (region == NULL) {
        if (memory != NULL)
            space_let_go(space, memory);
        return E_NOMEM;
    }
    region->readable = readable;
    error = operations_add(space, region);
    if (error == 0)
        wanted->address = region->start;
    return error;
}

// The map without the region is made first: then nothing can fail any more.
s64 space_region_destroy(struct address_space *space, u64 address)
{
    struct region *region = begin_change(space, address);

    if (region == NULL)
        return E_NOENT;
    if (region->start != address) {
        end_change(space, region);
        return E_NOENT;
    }
    region_close(region);
    spin_lock(&space->lock);
    struct region_map *map = region_map_without(space->map, region->start);
    if (map != NULL) {
        space_set_map(space, map);
        wait_queue_wake_all(&space->changes);
    }
    spin_unlock(&space->lock);
    if (map == NULL) {
        region_reopen(region);
        end_change(space, region);
        return E_NOMEM;
    }
    region_destroy(region);
    return 0;
}

// Puts a new end into the map. With check, the addresses up to it must be free.
static s64 set_end(struct address_space *space, struct region *region, u64 pages)
{
    struct region_range range = range_of(region, pages);
    s64 error = 0;

    spin_lock(&space->lock);
    if (!region_map_free(space->map, range.low, range.end, region)) {
        error = E_EXIST;
    } else {
        struct region_map *map = region_map_replace(space->map, range);
        error = map != NULL ? 0 : E_NOMEM;
        if (map != NULL && pages > region->pages)
            region_grow(region, pages);
        if (map != NULL)
            space_set_map(space, map);
    }
    spin_unlock(&space->lock);
    return error;
}

// When it shrinks, the map changes last, so that nothing new can come where old pages still are
// mapped; without memory for a new map, the addresses merely stay taken.
static s64 resize(struct address_space *space, struct region *region, u64 pages)
{
    u64 before = region->pages;

    if (pages > before)
        return set_end(space, region, pages);
    if (pages == before)
        return 0;
    region_shrink(region, pages);
    set_end(space, region, pages);
    return 0;
}

s64 space_region_resize(struct address_space *space, u64 address, u64 bytes)
{
    if (!is_page_range(address, bytes))
        return E_INVAL;
    if (is_the_kernels(address, address + bytes))
        return E_EXIST;
    struct region *region = begin_change(space, address);
    if (region == NULL)
        return E_NOENT;
    s64 error = region->start == address ? resize(space, region, bytes / PAGE_SIZE) : E_NOENT;
    end_change(space, region);
    return error;
}

// ---- protection, commitment ---------------------------------------------------------------------

static s64 check_protect(const struct region *region, u32 prot)
{
    if (!(prot & PROT_W))
        return 0;
    if (region->kind == REGION_PRIVATE && region->text)
        return E_PERM;
    bool readable = region->readable || region->fcm->read_only;
    return region->kind == REGION_SHARED && readable ? E_PERM : 0;
}

s64 space_region_protect(struct address_space *space, u64 address, u64 bytes, u32 prot)
{
    s64 error;

    if (!valid_prot(prot))
        return E_INVAL;
    struct region *region = begin_range_change(space, address, bytes, &error);
    if (region == NULL)
        return error;
    error = check_protect(region, prot);
    if (error == 0)
        error =
            region_protect(region, (address - region->start) / PAGE_SIZE, bytes / PAGE_SIZE, prot);
    end_change(space, region);
    return error;
}

s64 space_region_commit(struct address_space *space, u64 address, u64 bytes, u32 prot)
{
    s64 error;

    if (!valid_prot(prot))
        return E_INVAL;
    struct region *region = begin_range_change(space, address, bytes, &error);
    if (region == NULL)
        return error;
    u64 first = (address - region->start) / PAGE_SIZE, count = bytes / PAGE_SIZE;
    error = E_INVAL;
    if (region->kind == REGION_COMMIT)
        error = region_commit(region, first, count, prot);
    else if ((region->kind == REGION_SHARED || region->kind == REGION_STACK) &&
             prot == region->prot)
        error = region_populate(region, first, count);
    end_change(space, region);
    return error;
}

s64 space_region_decommit(struct address_space *space, u64 address, u64 bytes)
{
    s64 error;
    struct region *region = begin_range_change(space, address, bytes, &error);

    if (region == NULL)
        return error;
    error = region->kind == REGION_COMMIT ? 0 : E_INVAL;
    if (error == 0)
        region_decommit(region, (address - region->start) / PAGE_SIZE, bytes / PAGE_SIZE);
    end_change(space, region);
    return error;
}

// ---- wired pages --------------------------------------------------------------------------------

// Makes the tables that mapping takes.
static s64 make_segments(const struct region *region)
{
    struct segment *segment;
    s64 error = 0;

    for (u64 page = 0; page < region->pages && error == 0; page++)
        error = hat_segment(region->hat, region->start + page * PAGE_SIZE, &segment);
    return error;
}

static s64 map_wired(const struct region *region)
{
    for (u64 page = 0; page < region->pages; page++) {
        u64 address = region->start + page * PAGE_SIZE;
        struct segment *segment;
        s64 error = hat_segment(region->hat, address, &segment);
        if (error != 0)
            return error;
        segment_map(segment, address, virt_to_phys(region->wired) + page * PAGE_SIZE,
                    PROT_R | PROT_W);
    }
    return 0;
}

// Tables that a run of pages in one segment can take: that of the segment,
// and two directories above it.
#define WIRED_TABLES 3

// The tables are not the process's choice, so its limit is raised by them. What it may gain if some
// are there already is that much, once for each of the few places.
static s64 make_wired_segments(struct address_space *space, const struct region *region)
{
    pm_allow(space->pm, WIRED_TABLES);
    s64 error = make_segments(region);
    if (error != 0)
        pm_allow(space->pm, -WIRED_TABLES);
    return error;
}

s64 space_wire(struct address_space *space, u64 address, u64 bytes, void **wired)
{
    struct sys_region wanted = {.address = address, .bytes = bytes, .kind = REGION_WIRED};
    u32 order = pages_order(bytes);

    if (!is_page_range(address, bytes))
        return E_INVAL;
    void *memory = pages_alloc_for_caller(order);
    struct region *region = memory != NULL ? region_create(space, space->hat, &wanted, NULL) : NULL;
    if (region == NULL) {
        if (memory != NULL)
            pages_free(memory, order);
        return E_NOMEM;
    }
    region->wired = memory;
    region->wired_order = order;
    s64 error = make_wired_segments(space, region);
    if (error != 0) {
        discard(region);
        return error;
    }
    error = operations_add(space, region);
    if (error == 0)
        error = map_wired(region); // fails only if the space ends
    if (error == 0)
        *wired = memory;
    return error;
}

// ---- list ---------------------------------------------------------------------------------------

static void describe(const struct region *region, struct sys_region_info *info)
{
    const struct fcm *fcm = region->fcm;

    *info = (struct sys_region_info){
        .address = region->start,
        .bytes = region->pages * PAGE_SIZE,
        .kind = region->kind,
        .prot = region->prot,
        .region = region->root.coid,
    };
    if (fcm == NULL) {
        info->prot = PROT_R | PROT_W;
        info->resident_pages = region->pages;
        strncpy(info->name, "wired", sizeof(info->name) - 1);
        return;
    }
    info->offset = (region->kind == REGION_SHARED ? region->first : fcm->source_first) * PAGE_SIZE;
    info->resident_pages = fcm_resident(fcm, region->first, region->pages);
    info->memory = fcm->root.coid;
    memcpy(info->name, fcm->name, sizeof(info->name));
}

// The cursor is the end of the range told last.
s64 space_region_list(struct address_space *space, u64 *cursor, void *buffer, u64 bytes)
{
    const struct region_map *map = space_map(space);
    struct sys_region_info *out = buffer;
    u64 written = 0;

    u64 place = region_map_above(map, *cursor);
    const struct region_range *range;
    while ((range = region_map_next(map, &place)) != NULL) {
        if (range->start < *cursor)
            continue;
        if (bytes - written < sizeof(*out))
            return written == 0 ? E_INVAL : (s64)written;
        describe(range->region, out++);
        written += sizeof(*out);
        *cursor = range->end;
    }
    return (s64)written;
}
