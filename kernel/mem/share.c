// SPDX-License-Identifier: MIT
// The shared segments. Each source FCM has a list of them, by what they show. A segment stays in
// the list when the last space has gone, so the next process that runs the program finds its text
// translated.
#include "share.h"

#include "fcm.h"
#include "hat.h"
#include "segment.h"
#include "space.h"

#include <orrery/memory.h>
#include <string.h>

#define SHARED_MAX 32 // segments of one object

struct shared_list {
    u64 count;
    struct segment *segments[SHARED_MAX];
};

bool share_is_possible(const struct region *region)
{
    return region->kind == REGION_PRIVATE && !(region->prot & PROT_W) &&
           region->fcm->source->shares && region->fcm->source_pages == UINT64_MAX;
}

// ---- keys ---------------------------------------------------------------------------------------

// Returns the page of the source at an address of the region.
static u64 source_page_at(const struct region *region, u64 address)
{
    return region->fcm->source_first + (address - region->start) / PAGE_SIZE;
}

static bool add_piece(struct segment_key *key, const struct region *region,
                      const struct fcm *source)
{
    u64 end = region_end(region);

    if (!region->sharable || region->closed || key->count == SEGMENT_PIECES)
        return false;
    if (region->fcm->source != source)
        return false;
    struct segment_piece *piece = &key->pieces[key->count++];
    piece->start = region->start > key->base ? region->start : key->base;
    piece->end = end < key->base + SEGMENT_BYTES ? end : key->base + SEGMENT_BYTES;
    piece->page = source_page_at(region, piece->start);
    piece->prot = region->prot;
    return true;
}

// Makes the key of what the space has in the segment of an address. Returns false if something
// there cannot be shared.
static bool make_key(struct address_space *space, u64 address, const struct fcm *source,
                     struct segment_key *key)
{
    const struct region_map *map = space_map(space);

    memset(key, 0, sizeof(*key));
    key->base = ALIGN_DOWN(address, SEGMENT_BYTES);
    u64 place = region_map_above(map, key->base);
    const struct region_range *range;
    while ((range = region_map_next(map, &place)) != NULL &&
           range->low < key->base + SEGMENT_BYTES) {
        if (!add_piece(key, range->region, source))
            return false;
    }
    return key->count > 0;
}

static bool same_key(const struct segment_key *a, const struct segment_key *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

// Returns whether a shared segment, attached already, shows the page of the fault as its region has
// it.
static bool shows(const struct segment_key *key, const struct fault *fault)
{
    for (u64 i = 0; i < key->count; i++) {
        const struct segment_piece *piece = &key->pieces[i];
        if (fault->address < piece->start || fault->address >= piece->end)
            continue;
        u64 page = piece->page + (fault->address - piece->start) / PAGE_SIZE;
        return piece->prot == fault->region->prot &&
               page == source_page_at(fault->region, fault->address);
    }
    return false;
}

// ---- the list of a source -----------------------------------------------------------------------

// Returns the segment of a key, or NULL. With the users lock held.
static struct segment *share_find(const struct fcm *source, const struct segment_key *key)
{
    for (u64 i = 0; source->sharing != NULL && i < source->sharing->count; i++) {
        if (same_key(segment_key(source->sharing->segments[i]), key))
            return source->sharing->segments[i];
    }
    return NULL;
}

// Adds a segment. The list takes over its reference. Returns false if there is no room. With the
// users lock held.
static bool share_add(struct fcm *source, struct segment *segment)
{
    if (source->sharing == NULL)
        source->sharing = kzalloc(sizeof(*source->sharing));
    if (source->sharing == NULL || source->sharing->count == SHARED_MAX)
        return false;
    source->sharing->segments[source->sharing->count++] = segment;
    return true;
}

// Returns the object's segment for a key, made if there is none. It stays as long as the object.
static struct segment *get(struct fcm *source, const struct segment_key *key)
{
    spin_lock(&source->users_lock);
    struct segment *found = share_find(source, key);
    spin_unlock(&source->users_lock);
    if (found != NULL)
        return found;
    struct segment *made = segment_create_shared(key);
    if (made == NULL)
        return NULL;
    spin_lock(&source->users_lock);
    found = share_find(source, key);
    if (found == NULL && share_add(source, made)) {
        found = made;
        made = NULL;
    }
    spin_unlock(&source->users_lock);
    if (made != NULL)
        segment_put(made);
    return found;
}

// ---- attaching ----------------------------------------------------------------------------------

// A region that closes, or stops being sharable, says so first and takes its mappings away then. So
// whoever attaches a segment and still finds all as it was is seen by that region; else it undoes
// the attachment.
static struct segment *share_attach(const struct fault *fault)
{
    const struct region *region = fault->region;
    struct fcm *source = region->fcm->source;
    struct segment_key key, again;

    if (!make_key(region->space, fault->address, source, &key))
        return NULL;
    struct segment *segment = get(source, &key);
    if (segment == NULL || hat_segment_attach(region->hat, fault->address, segment) != 0)
        return NULL;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (make_key(region->space, fault->address, source, &again) && same_key(&key, &again))
        return segment;
    hat_unmap(region->hat, key.base, PAGE_SIZE);
    return NULL;
}

struct segment *share_segment(const struct fault *fault)
{
    if (!fault->region->sharable)
        return NULL;
    struct segment *segment = hat_segment_find(fault->region->hat, fault->address);
    if (segment == NULL)
        return share_attach(fault);
    if (segment_is_shared(segment) && shows(segment_key(segment), fault))
        return segment;
    return NULL;
}

static void unmap_pieces(struct segment *segment, u64 page, u64 frame)
{
    const struct segment_key *key = segment_key(segment);

    for (u64 i = 0; i < key->count; i++) {
        const struct segment_piece *piece = &key->pieces[i];
        u64 address = piece->start + (page - piece->page) * PAGE_SIZE;
        if (page >= piece->page && address < piece->end)
            segment_share_unmap(segment, address, frame);
    }
}

void share_unmap(struct fcm *fcm, u64 page, u64 frame)
{
    spin_lock(&fcm->users_lock);
    for (u64 i = 0; fcm->sharing != NULL && i < fcm->sharing->count; i++)
        unmap_pieces(fcm->sharing->segments[i], page, frame);
    spin_unlock(&fcm->users_lock);
}

void share_end(struct fcm *fcm)
{
    for (u64 i = 0; fcm->sharing != NULL && i < fcm->sharing->count; i++)
        segment_put(fcm->sharing->segments[i]);
    kfree(fcm->sharing);
    fcm->sharing = NULL;
}

u32 share_coids(struct fcm *fcm, coid_t *out, u32 max)
{
    u32 count = 0;

    spin_lock(&fcm->users_lock);
    for (u64 i = 0; fcm->sharing != NULL && i < fcm->sharing->count; i++) {
        if (out != NULL && count == max)
            break;
        if (out != NULL)
            out[count] = segment_coid(fcm->sharing->segments[i]);
        count++;
    }
    spin_unlock(&fcm->users_lock);
    return count;
}
