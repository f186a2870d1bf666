// SPDX-License-Identifier: MIT
// The regions of a space, sorted by address, in blocks of a few dozen. A map and its blocks are
// never changed. A change makes a new map, with new blocks where something is new, so faults look
// regions up without a lock; what the new map does not have is freed after a grace period.
#ifndef KERNEL_MEM_REGION_MAP_H
#define KERNEL_MEM_REGION_MAP_H

#include <co/quiesce.h>
#include <orrery/types.h>

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

struct region_map {
    struct region_map *next_retired;
    struct co_grace grace;
    struct region_block *replaced[2]; // of the map before, not in this one; or NULL
    struct region_block *unused[2];   // once retired: of this one, not in the next
    bool replaces_all;                // shares no block with the map before
    bool all_unused;
    u32 count; // of ranges
    u32 part_count;
    struct region_part parts[]; // of a map made with a single part: that one's block lies behind it
};

// A map may be NULL (empty) in all of these.
//
// The range with an address, or NULL.
const struct region_range *region_map_find(const struct region_map *map, u64 address);
// The first range that ends above an address, or NULL: from 0, and then from the end of each, all.
const struct region_range *region_map_above(const struct region_map *map, u64 address);
// Whether [low, end) meets no range, apart from that of one region (or NULL).
bool region_map_free(const struct region_map *map, u64 low, u64 end, const struct region *except);
// The lowest address >= from where bytes are free with guard bytes free below them,
// ending at or below to; 0: none.
u64 region_map_gap(const struct region_map *map, u64 from, u64 to, u64 bytes, u64 guard);

// New maps: with a range more, with another end for the range that starts there, or without it.
// NULL: out of memory.
struct region_map *region_map_with(const struct region_map *map, struct region_range range);
struct region_map *region_map_replace(const struct region_map *map, struct region_range range);
struct region_map *region_map_without(const struct region_map *map, u64 start);
// Only the wired regions.
struct region_map *region_map_wired(const struct region_map *map);

// Another map, made from this one, has taken its place.
void region_map_retire(struct region_map *map, const struct region_map *by);
// Frees a retired map, and the blocks that went with it; nobody looks anything up in it.
void region_map_drop(struct region_map *map);
// Frees a map that has not been retired, with all its blocks.
void region_map_destroy(struct region_map *map);

static inline u32 region_map_count(const struct region_map *map)
{
    return map == NULL ? 0 : map->count;
}

// The same as region_map_find. *guess, any number at first, makes the next look-up of the same
// range short, in a newer map, too: the index of a part and, in its low bits, of a range.
#define REGION_GUESS_BITS 8
_Static_assert(REGION_BLOCK < 1 << REGION_GUESS_BITS, "an index");

const struct region_range *region_map_find_slow(const struct region_map *map, u64 address,
                                                u64 *guess);

static inline const struct region_range *region_map_find_again(const struct region_map *map,
                                                               u64 address, u64 *guess)
{
    u64 part = *guess >> REGION_GUESS_BITS, index = *guess & ((1UL << REGION_GUESS_BITS) - 1);

    if (map == NULL)
        return NULL;
    if (part < map->part_count && index < map->parts[part].block->count) {
        const struct region_range *range = &map->parts[part].block->ranges[index];
        if (address >= range->start && address < range->end)
            return range;
    }
    return region_map_find_slow(map, address, guess);
}

#endif
