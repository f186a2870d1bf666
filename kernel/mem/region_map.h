// SPDX-License-Identifier: MIT
// The regions of a space, sorted by address, in blocks of a few dozen. A map and its blocks are
// never changed. A change makes a new map, with new blocks where something is new, so faults look
// regions up without a lock; what the new map does not have is freed after a grace period.
#ifndef KERNEL_MEM_REGION_MAP_H
#define KERNEL_MEM_REGION_MAP_H

#include <co/quiesce.h>
#include <orrery/types.h>
#include <stddef.h>

#define REGIONS_MAX 4096 // of a space
#ifndef REGION_BLOCK
#define REGION_BLOCK 50 // ranges of a block at most: 2,008 bytes
#endif

struct region;

struct region_range {
    u64 start, end; // pages that fault
    u64 low;        // start, less a guard: nothing else may lie in [low, end)
    struct region *region;
    bool wired; // the kernel's, to the end of the space
};

struct region_block {
    u64 count; // 1 … REGION_BLOCK
    struct region_range ranges[];
};

// What a map knows of one of its blocks.
struct region_part {
    u64 low, end; // of its first range, of its last
    u64 hole;     // between two of its ranges none is larger
    struct region_block *block;
};

// Most maps are small: one block, which is part of the map and of no other.
struct region_map {
    struct region_map *next_retired;
    struct co_grace grace;
    // Of no meaning if the map before is small.
    struct region_block *replaced[2]; // of the map before, not in this one; or NULL
    bool replaces_all;                // shares no block with the map before
    // Once retired, unless it is small:
    bool all_unused;
    struct region_block *unused[2]; // of this one, not in the next
    u32 part_count;                 // 0: small
    u64 count;                      // of ranges; with what follows, the block of a small map
    struct region_part parts[];
};

// A map may be NULL (empty) in all of these.
//
// The range with an address, or NULL.
const struct region_range *region_map_find(const struct region_map *map, u64 address);
// Returns the place of the first range that ends above an address, for region_map_next.
u64 region_map_above(const struct region_map *map, u64 address);
// Returns whether [low, end) meets no range, apart from that of one region (or NULL).
bool region_map_free(const struct region_map *map, u64 low, u64 end, const struct region *except);
// Returns the lowest address >= from where bytes are free with guard bytes free below them, ending
// at or below to. 0: none.
u64 region_map_gap(const struct region_map *map, u64 from, u64 to, u64 bytes, u64 guard);

// Makes a new map: with a range more, with another end for the range that starts there, or without
// it. Returns NULL if out of memory.
struct region_map *region_map_with(const struct region_map *map, struct region_range range);
struct region_map *region_map_replace(const struct region_map *map, struct region_range range);
struct region_map *region_map_without(const struct region_map *map, u64 start);
// Only the wired regions.
struct region_map *region_map_wired(const struct region_map *map);

// Another map, made from this one, has taken its place.
static inline void region_map_retire(struct region_map *map, const struct region_map *by)
{
    if (map->part_count == 0)
        return;
    map->unused[0] = by->replaced[0];
    map->unused[1] = by->replaced[1];
    map->all_unused = by->replaces_all;
}

// Frees a retired map, and the blocks that went with it; nobody looks anything up in it.
void region_map_drop(struct region_map *map);
// Frees a map that has not been retired, with all its blocks.
void region_map_destroy(struct region_map *map);

static inline u32 region_map_count(const struct region_map *map)
{
    return map == NULL ? 0 : (u32)map->count;
}

// Returns the block of a small map.
static inline struct region_block *region_map_block(const struct region_map *map)
{
    return (struct region_block *)((u8 *)map + offsetof(struct region_map, count));
}
_Static_assert(offsetof(struct region_map, parts) - offsetof(struct region_map, count) ==
                   offsetof(struct region_block, ranges),
               "a small map ends like a block");

// A place is the index of a part and, in its low bits, of a range in it.
#define REGION_PLACE_BITS 8
#define REGION_PLACE_INDEX ((1UL << REGION_PLACE_BITS) - 1)
_Static_assert(REGION_BLOCK <= REGION_PLACE_INDEX, "an index");

// Returns the range at a place, or NULL behind the last, and moves the place to the next one. From
// place 0 on it visits all, in order.
static inline const struct region_range *region_map_next(const struct region_map *map, u64 *place)
{
    u64 part = *place >> REGION_PLACE_BITS, index = *place & REGION_PLACE_INDEX;

    if (map == NULL)
        return NULL;
    if (map->part_count == 0)
        return *place < map->count ? &region_map_block(map)->ranges[(*place)++] : NULL;
    if (part >= map->part_count)
        return NULL;
    const struct region_block *block = map->parts[part].block;
    *place = index + 1 < block->count ? *place + 1 : (part + 1) << REGION_PLACE_BITS;
    return &block->ranges[index];
}

// Do as region_map_find. *guess, any number at first, makes the next look-up of the same range
// short in a small map, in a newer one, too: it is the range's place.
const struct region_range *region_map_find_slow(const struct region_map *map, u64 address,
                                                u64 *guess);

static inline const struct region_range *region_map_find_again(const struct region_map *map,
                                                               u64 address, u64 *guess)
{
    if (map == NULL)
        return NULL;
    if (map->part_count == 0 && *guess < map->count) {
        const struct region_range *range = &region_map_block(map)->ranges[*guess];
        if (address >= range->start && address < range->end)
            return range;
    }
    return region_map_find_slow(map, address, guess);
}

#endif
