// SPDX-License-Identifier: MIT
// What all FCMs have in common: references, users, waiting for faults under way,
// and work on ranges of pages.
#include "fcm.h"

#include "file.h"
#include "hat.h"
#include "pm.h"

#include <kernel/name.h>
#include <orrery/errors.h>

void fcm_init(struct fcm *fcm, const char *name, u64 bytes, struct pm *pm, bool private)
{
    enum lock_rank rank = private ? RANK_PRIVATE : RANK_FCM;

    spin_init(&fcm->lock, "FCM", rank);
    spin_init(&fcm->users_lock, "FCM users", RANK_FCM_USERS);
    page_map_init(&fcm->pages, rank, pm);
    refs_init(&fcm->refs, KIND_FCM);
    fcm->bytes = bytes;
    fcm->pm = pm;
    fcm->private = private;
    fcm->rep.fcm = fcm;
    name_copy(fcm->name, name, sizeof(fcm->name));
}

void fcm_hold(struct fcm *fcm)
{
    refs_get(&fcm->refs, KIND_FCM);
}

bool fcm_try_hold(struct fcm *fcm)
{
    return refs_try_get(&fcm->refs, KIND_FCM);
}

static void fcm_end(struct fcm *fcm)
{
    struct fr *watcher = fcm->watcher;
    u64 bytes = fcm->bytes;

    // Anonymous memory has a rep on each CPU, for which there may be no memory here. Nobody uses
    // the pages any more, so they can go without one.
    if (CO_CALL(struct fcm_rep, fcm->root.coid, end) == E_NOMEM)
        fcm_drop(fcm, NULL, 0, fcm_pages(fcm), 0);
    page_map_uncharge(&fcm->pages);
    pm_put(fcm->pm);
    if (fcm->source != NULL)
        fcm_put(fcm->source);
    co_destroy(fcm->root.coid);
    if (watcher != NULL)
        fr_memory_gone(watcher, bytes);
}

static void put(struct fcm *fcm, u64 left)
{
    if (left == 0) {
        fcm_end(fcm);
    } else if (left == 1 && fcm->alone != NULL && fcm->let_go) {
        fcm->let_go = false;
        fcm->alone(fcm);
    }
}

// Said before the reference goes: the server's, given back quietly meanwhile,
// may turn out to be the last but one.
void fcm_put(struct fcm *fcm)
{
    fcm->let_go = true;
    put(fcm, refs_put(&fcm->refs, KIND_FCM));
}

bool fcm_watch(struct fcm *fcm, struct fr *fr)
{
    spin_lock(&fcm->users_lock);
    bool first = fcm->watcher == NULL;
    if (first)
        fcm->watcher = fr;
    spin_unlock(&fcm->users_lock);
    return first;
}

bool fcm_leave(struct fcm *fcm)
{
    if (refs_put(&fcm->refs, KIND_FCM) != 0)
        return false;
    if (fcm->watcher != NULL)
        fr_destroy(fcm->watcher);
    fcm->watcher = NULL;
    fcm_end(fcm);
    return true;
}

void fcm_put_quietly(struct fcm *fcm)
{
    put(fcm, refs_put(&fcm->refs, KIND_FCM));
}

u64 fcm_bytes(const struct fcm *fcm)
{
    return fcm->bytes;
}

coid_t fcm_coid(const struct fcm *fcm)
{
    return fcm->root.coid;
}

// ---- users --------------------------------------------------------------------------------------

void fcm_add_user(struct fcm *fcm, struct region *region)
{
    spin_lock(&fcm->users_lock);
    region->next_user = fcm->users;
    region->previous_user = NULL;
    if (fcm->users != NULL)
        fcm->users->previous_user = region;
    fcm->users = region;
    spin_unlock(&fcm->users_lock);
}

void fcm_remove_user(struct fcm *fcm, struct region *region)
{
    spin_lock(&fcm->users_lock);
    if (region->next_user != NULL)
        region->next_user->previous_user = region->previous_user;
    if (region->previous_user != NULL)
        region->previous_user->next_user = region->next_user;
    else
        fcm->users = region->next_user;
    spin_unlock(&fcm->users_lock);
}

// ---- ranges of pages ----------------------------------------------------------------------------

void fcm_drain_faults(struct fcm *fcm, u64 first, u64 count)
{
    u64 end = first + count;

    if (fcm->single_lock) {
        spin_lock(&fcm->lock);
        spin_unlock(&fcm->lock);
        return;
    }
    page_map_fence(&fcm->pages);
    struct page_leaf *leaf;
    for (u64 page = first; (leaf = page_map_next_before(&fcm->pages, page, end)) != NULL;
         page = leaf->first + LEAF_PAGES) {
        spin_lock(&leaf->lock);
        spin_unlock(&leaf->lock);
    }
}

u64 fcm_resident(const struct fcm *fcm, u64 first, u64 count)
{
    u64 end = first + count, resident = 0;
    struct page_leaf *leaf;

    for (u64 page = first; (leaf = page_map_next_before(&fcm->pages, page, end)) != NULL;
         page = leaf->first + LEAF_PAGES) {
        for (page = leaf_begin(leaf, first); page < leaf_end(leaf, end); page++)
            resident += (*page_map_entry(leaf, page) & ENTRY_PAGE) != 0;
    }
    return resident;
}

// Takes frames, and flags, of one leaf out of it,
// but from no entry with one of the flags in unless. How many.
static u32 take_frames(struct fcm *fcm, struct page_leaf *leaf, u64 first, u64 end, u64 flags,
                       u64 unless, u64 frames[LEAF_PAGES])
{
    struct spinlock *lock = fcm_lock_of(fcm, leaf);
    u32 count = 0;

    spin_lock(lock);
    for (u64 page = leaf_begin(leaf, first); page < leaf_end(leaf, end); page++) {
        u64 *entry = page_map_entry(leaf, page);
        if (*entry == 0 || (*entry & unless))
            continue;
        if (*entry & ENTRY_PAGE)
            frames[count++] = *entry & ENTRY_PAGE;
        *entry &= ~(ENTRY_PAGE | ENTRY_COHERENT | flags);
    }
    spin_unlock(lock);
    return count;
}

static void drop(struct fcm *fcm, struct region *region, u64 first, u64 count, u64 flags,
                 u64 unless)
{
    u64 end = first + count;
    u64 frames[LEAF_PAGES];
    struct page_leaf *leaf;

    for (u64 page = first; (leaf = page_map_next_before(&fcm->pages, page, end)) != NULL;
         page = leaf->first + LEAF_PAGES) {
        u32 taken = take_frames(fcm, leaf, first, end, flags, unless, frames);
        u64 from = leaf_begin(leaf, first);
        if (region != NULL)
            hat_unmap(region->hat, region->start + from * PAGE_SIZE,
                      (leaf_end(leaf, end) - from) * PAGE_SIZE);
        while (taken > 0)
            pm_free(fcm->pm, frames[--taken]);
    }
}

void fcm_drop(struct fcm *fcm, struct region *region, u64 first, u64 count, u64 flags)
{
    drop(fcm, region, first, count, flags, 0);
}

void fcm_drop_uncommitted(struct fcm *fcm, u64 first, u64 count)
{
    drop(fcm, NULL, first, count, 0, ENTRY_COMMITTED);
}

// Gives one page a frame.
static s64 populate_one(struct fcm *fcm, u64 page)
{
    struct page_leaf *leaf = page_map_get(&fcm->pages, page);

    if (leaf == NULL)
        return E_NOMEM;
    if (*page_map_entry(leaf, page) & ENTRY_PAGE)
        return 0;
    s64 frame = pm_alloc(fcm->pm);
    if (frame < 0)
        return frame;
    frame_zero((u64)frame);
    spin_lock(fcm_lock_of(fcm, leaf));
    bool missing = !(*page_map_entry(leaf, page) & ENTRY_PAGE);
    if (missing)
        *page_map_entry(leaf, page) |= (u64)frame;
    spin_unlock(fcm_lock_of(fcm, leaf));
    if (!missing)
        pm_free(fcm->pm, (u64)frame);
    return 0;
}

s64 fcm_populate(struct fcm *fcm, u64 first, u64 count)
{
    s64 error = 0;

    for (u64 page = first; page < first + count && error == 0; page++)
        error = populate_one(fcm, page);
    return error;
}

bool fcm_set_flags(struct fcm *fcm, u64 first, u64 count, u64 clear, u64 set, bool make)
{
    return page_map_set_flags(&fcm->pages, fcm->single_lock ? &fcm->lock : NULL, first, count,
                              clear, set, make);
}
