// SPDX-License-Identifier: MIT
// Sorted, unchanging arrays of address ranges: see region_map.h.
#include "region_map.h"

#include <kernel/memory.h>
#include <string.h>

// Index of the first range that ends above an address.
static u32 first_above(const struct region_map *map, u64 address)
{
    u32 low = 0, high = region_map_count(map);

    while (low < high) {
        u32 middle = (low + high) / 2;
        if (map->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct region_range *region_map_find(const struct region_map *map, u64 address)
{
    u32 index = first_above(map, address);

    if (index == region_map_count(map) || map->ranges[index].start > address)
        return NULL;
    return &map->ranges[index];
}

bool region_map_free(const struct region_map *map, u64 low, u64 end, const struct region *except)
{
    for (u32 i = first_above(map, low); i < region_map_count(map); i++) {
        if (map->ranges[i].low >= end)
            return true;
        if (map->ranges[i].region != except)
            return false;
    }
    return true;
}

u64 region_map_gap(const struct region_map *map, u64 from, u64 to, u64 bytes, u64 guard)
{
    u64 at = from + guard;

    if (bytes > to || at > to - bytes)
        return 0;
    for (u32 i = first_above(map, from); i < region_map_count(map); i++) {
        if (map->ranges[i].low >= at + bytes)
            break;
        at = map->ranges[i].end + guard;
        if (at > to - bytes)
            return 0;
    }
    return at;
}

static struct region_map *region_map_make(u32 count)
{
    struct region_map *map =
        kmalloc(sizeof(struct region_map) + count * sizeof(struct region_range));

    if (map != NULL) {
        map->next_retired = NULL;
        map->count = count;
    }
    return map;
}

struct region_map *region_map_with(const struct region_map *map, struct region_range range)
{
    u32 count = region_map_count(map);
    u32 at = first_above(map, range.start);
    struct region_map *made = region_map_make(count + 1);

    if (made == NULL)
        return NULL;
    if (at > 0)
        memcpy(made->ranges, map->ranges, at * sizeof(range));
    made->ranges[at] = range;
    if (at < count)
        memcpy(&made->ranges[at + 1], &map->ranges[at], (count - at) * sizeof(range));
    return made;
}

struct region_map *region_map_replace(const struct region_map *map, struct region_range range)
{
    struct region_map *made = region_map_make(map->count);

    for (u32 i = 0; made != NULL && i < map->count; i++)
        made->ranges[i] = map->ranges[i].region == range.region ? range : map->ranges[i];
    return made;
}

struct region_map *region_map_without(const struct region_map *map, const struct region *region)
{
    struct region_map *made = region_map_make(map->count - 1);
    u32 at = 0;

    if (made == NULL)
        return NULL;
    while (map->ranges[at].region != region)
        at++;
    memcpy(made->ranges, map->ranges, at * sizeof(map->ranges[0]));
    memcpy(&made->ranges[at], &map->ranges[at + 1], (made->count - at) * sizeof(map->ranges[0]));
    return made;
}

struct region_map *region_map_wired(const struct region_map *map)
{
    struct region_map *made = region_map_make(map->count);
    u32 to = 0;

    for (u32 i = 0; made != NULL && i < map->count; i++) {
        if (map->ranges[i].wired)
            made->ranges[to++] = map->ranges[i];
    }
    if (made != NULL)
        made->count = to;
    return made;
}
