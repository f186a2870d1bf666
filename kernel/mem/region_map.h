// SPDX-License-Identifier: MIT
// The regions of a space, sorted by address: an array that is never changed. A change makes a new
// one, so faults look regions up without a lock; the old one is freed after a grace period.
#ifndef KERNEL_MEM_REGION_MAP_H
#define KERNEL_MEM_REGION_MAP_H

#include <co/quiesce.h>
#include <orrery/types.h>

#define REGIONS_MAX 4096 // of a space

struct region;

struct region_range {
    u64 start, end; // pages that fault
    u64 low;        // start, less a guard: nothing else may lie in [low, end)
    struct region *region;
    bool wired; // the kernel's, to the end of the space
};

struct region_map {
    struct region_map *next_retired;
    struct co_grace grace;
    u32 count;
    struct region_range ranges[];
};

// The range with an address, or NULL; map may be NULL (empty), as in all here.
const struct region_range *region_map_find(const struct region_map *map, u64 address);
// Whether [low, end) meets no range, apart from that of one region (or NULL).
bool region_map_free(const struct region_map *map, u64 low, u64 end, const struct region *except);
// The lowest address >= from where bytes are free with guard bytes free below them,
// ending at or below to; 0: none.
u64 region_map_gap(const struct region_map *map, u64 from, u64 to, u64 bytes, u64 guard);
// New maps: with a range more, with one region's range replaced, or without it.
// NULL: out of memory.
struct region_map *region_map_with(const struct region_map *map, struct region_range range);
struct region_map *region_map_replace(const struct region_map *map, struct region_range range);
struct region_map *region_map_without(const struct region_map *map, const struct region *region);

// Only the wired regions.
struct region_map *region_map_wired(const struct region_map *map);

static inline u32 region_map_count(const struct region_map *map)
{
    return map == NULL ? 0 : map->count;
}

#endif
