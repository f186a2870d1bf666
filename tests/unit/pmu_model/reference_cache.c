// SPDX-License-Identifier: MIT
#include "reference.h"

#include <stdlib.h>

// All that was ever asked for in a set, oldest first.
struct set {
    u64 *log;
    u64 used, room;
};

struct reference_cache {
    struct set *sets;
    u64 set_count, ways;
};

struct reference_cache *reference_cache_new(u64 bytes, u64 ways, u64 line_bytes)
{
    struct reference_cache *cache = calloc(1, sizeof(*cache));
    cache->set_count = bytes / (ways * line_bytes);
    cache->ways = ways;
    cache->sets = calloc(cache->set_count, sizeof(*cache->sets));
    return cache;
}

void reference_cache_free(struct reference_cache *cache)
{
    for (u64 i = 0; i < cache->set_count; i++)
        free(cache->sets[i].log);
    free(cache->sets);
    free(cache);
}

static bool contains(const u64 *lines, u64 count, u64 line)
{
    for (u64 i = 0; i < count; i++) {
        if (lines[i] == line)
            return true;
    }
    return false;
}

static bool is_there(const struct set *set, u64 ways, u64 line)
{
    u64 others[64], count = 0;
    for (u64 i = set->used; i > 0; i--) {
        u64 earlier = set->log[i - 1];
        if (earlier == line)
            return true;
        if (!contains(others, count, earlier))
            others[count++] = earlier;
        if (count == ways)
            return false;
    }
    return false;
}

bool reference_cache_access(struct reference_cache *cache, u64 line)
{
    struct set *set = &cache->sets[line % cache->set_count];
    bool hit = is_there(set, cache->ways, line);
    if (set->used == set->room) {
        set->room = set->room * 2 + 16;
        set->log = realloc(set->log, set->room * sizeof(*set->log));
    }
    set->log[set->used++] = line;
    return hit;
}
