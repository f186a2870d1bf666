// SPDX-License-Identifier: MIT
// Address spaces: life, and the list of regions.
#include "space.h"

#include "fcm.h"
#include "file.h"
#include "hat.h"
#include "holding.h"
#include "pids.h"
#include "pm.h"

#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <string.h>

#define MEMORY_MICROSECONDS 50 // until there may be memory again

// ---- maps ---------------------------------------------------------------------------------------

// Frees the maps whose grace period is over. With the oldest's, no other's is.
static void free_retired(struct address_space *space)
{
    while (space->retired != NULL && co_grace_over(&space->retired->grace, false)) {
        struct region_map *map = space->retired;
        space->retired = map->next_retired;
        region_map_drop(map);
    }
}

static void retire(struct address_space *space, struct region_map *map)
{
    co_grace_begin(&map->grace);
    map->next_retired = NULL;
    if (space->retired == NULL)
        space->retired = map;
    else
        space->retired_last->next_retired = map;
    space->retired_last = map;
}

void space_set_map(struct address_space *space, struct region_map *map)
{
    struct region_map *before = space->map;

    KASSERT(space->magic == SPACE_MAGIC);
    __atomic_store_n(&space->map, map, __ATOMIC_RELEASE);
    free_retired(space);
    if (before != NULL) {
        region_map_retire(before, map);
        retire(space, before);
    }
}

// ---- life ---------------------------------------------------------------------------------------

// Nobody looks anything up in the space any more.
static void free_space(void *argument)
{
    struct address_space *space = argument;

    region_map_destroy(space->map);
    while (space->retired != NULL) {
        struct region_map *map = space->retired;
        space->retired = map->next_retired;
        region_map_drop(map);
    }
    kfree(space);
}

struct address_space *space_create(struct process *process, u64 limit, enum memory_class class)
{
    struct address_space *space = kzalloc(sizeof(*space));

    if (space == NULL)
        return NULL;
    space->magic = SPACE_MAGIC;
    spin_init(&space->lock, "regions", RANK_SPACE);
    space->process = process;
    space->pm = pm_create(limit, class);
    space->hat = space->pm != NULL ? hat_create(space->pm, free_space, space) : NULL;
    if (space->hat == NULL) {
        if (space->pm != NULL)
            pm_put(space->pm);
        kfree(space);
        return NULL;
    }
    return space;
}

void space_end(struct address_space *space)
{
    space->ending = true;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    files_cancel_waits(space);
}

static bool any_changing(const struct region_map *map)
{
    const struct region_range *range;
    u64 place = 0;

    while ((range = region_map_next(map, &place)) != NULL) {
        if (range->region->changing)
            return true;
    }
    return false;
}

// Leaves only wired regions in the map. Returns the map from before, or NULL if out of memory.
static const struct region_map *leave_wired(struct address_space *space)
{
    spin_lock(&space->lock);
    while (any_changing(space->map))
        wait_queue_sleep(&space->changes, &space->lock, NO_DEADLINE);
    const struct region_map *before = space->map;
    struct region_map *map = region_map_wired(before);
    if (map != NULL)
        space_set_map(space, map);
    spin_unlock(&space->lock);
    return map != NULL ? before : NULL;
}

void space_clear(struct address_space *space)
{
    const struct region_map *before = NULL;
    const struct region_range *range;

    space_end(space);
    hat_retire(space->hat);
    while (before == NULL && space_map(space) != NULL) {
        before = leave_wired(space);
        if (before == NULL)
            thread_sleep(microseconds_to_ticks(MEMORY_MICROSECONDS));
    }
    for (u64 place = 0; (range = region_map_next(before, &place)) != NULL;) {
        if (range->region->kind != REGION_WIRED) // the map stays as long as this generation
            region_destroy(range->region);
    }
}

void space_destroy(struct address_space *space)
{
    const struct region_map *map = space_map(space);
    const struct region_range *range;

    space_end(space);
    hat_retire(space->hat);
    for (u64 place = 0; (range = region_map_next(map, &place)) != NULL;)
        region_destroy(range->region);
    pm_put(space->pm);
    hat_destroy(space->hat);
}

void space_switch(struct address_space *space)
{
    hat_switch(space != NULL ? space->hat : NULL);
}

u64 space_tag(const struct address_space *space)
{
    return hat_tag(space->hat);
}

void space_set_owner(struct address_space *space, u64 owner)
{
    hat_set_owner(space->hat, owner);
}

u64 space_limit(const struct address_space *space)
{
    return pm_limit(space->pm);
}

u64 space_resident_pages(const struct address_space *space)
{
    return pm_pages(space->pm);
}

void space_set_domain(struct address_space *space, u32 kept)
{
    pm_set_domain(space->pm, kept);
}

s64 space_hold(struct address_space *space, struct fcm *memory)
{
    return holding_begin(space->pm, memory);
}

void space_let_go(struct address_space *space, struct fcm *memory)
{
    holding_end(space->pm, memory);
}

u64 space_faults(const struct address_space *space)
{
    u64 faults = 0;

    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        faults += space->cpu[cpu].faults;
    return faults;
}

u32 space_coids(struct address_space *space, coid_t *out, u32 max)
{
    const struct region_map *map = space_map(space);
    u32 count = region_map_count(map) + 2;

    if (out == NULL)
        return count;
    u64 place = 0;
    for (u32 i = 0; i < count && i < max; i++)
        out[i] = i == 0   ? hat_coid(space->hat)
                 : i == 1 ? pm_coid(space->pm)
                          : region_map_next(map, &place)->region->root.coid;
    return count < max ? count : max;
}

struct pm *pm_of_caller(void)
{
    struct process *process = process_current();

    if (process == NULL)
        return pm_root();
    struct pm *pm = process_space(process)->pm;
    pm_hold(pm);
    return pm;
}

bool memory_for_caller(void)
{
    struct process *process = process_current();

    return process == NULL || pm_has_room(process_space(process)->pm);
}

bool memory_for_kernel(void)
{
    struct process *process = process_current();

    return process == NULL || thread_is_essential() ||
           pm_has_room_for_kernel(process_space(process)->pm);
}

void memory_objects_init(void)
{
    pm_init();
    s64 frame = pm_alloc_root();
    if (frame < 0)
        panic("out of memory for the zero page");
    frame_zero((u64)frame);
    zero_frame = (u64)frame;
}

void *pages_alloc_for_caller(u32 order)
{
    return memory_for_kernel() ? pages_alloc_zeroed(order) : NULL;
}
