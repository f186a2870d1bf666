// SPDX-License-Identifier: MIT
// Sets are lists in the order of use. The requested line goes to the front. The others move up to
// its old place or, if it was not there, over the end.
#include "cache.h"

#include <stdlib.h>

struct cache_model *cache_model_new(u64 bytes, u64 ways, u64 line_bytes)
{
    struct cache_model *cache = malloc(sizeof(*cache));
    u64 lines = bytes / line_bytes;
    if (!cache)
        return NULL;
    *cache = (struct cache_model){
        .lines = malloc(lines * sizeof(*cache->lines)), .set_mask = lines / ways - 1, .ways = ways};
    if (!cache->lines) {
        free(cache);
        return NULL;
    }
    for (u64 i = 0; i < lines; i++)
        cache->lines[i] = CACHE_NO_LINE;
    return cache;
}

void cache_model_free(struct cache_model *cache)
{
    if (!cache)
        return;
    free(cache->lines);
    free(cache);
}

bool cache_model_access_slow(struct cache_model *cache, u64 line)
{
    u64 *set = &cache->lines[(line & cache->set_mask) * cache->ways];
    u64 moving = line;
    for (u64 way = 0; way < cache->ways; way++) {
        u64 here = set[way];
        set[way] = moving;
        if (here == line)
            return true;
        moving = here;
    }
    return false;
}
