// SPDX-License-Identifier: MIT
// One level of a cache: set-associative, least recently used. It knows lines by number only. The
// caller decides whether these are physical or virtual, how stores act, and which level is next. It
// models one CPU: no two threads at a time.
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include <orrery/types.h>

#define CACHE_NO_LINE (~0UL)

struct cache_model {
    // set after set, the most recently used line first in each; CACHE_NO_LINE: empty
    u64 *lines;
    u64 set_mask;
    u64 ways;
};

// Makes an empty cache. bytes, ways, line_bytes: powers of two, ways * line_bytes <= bytes
// (machine_load checks it). Returns NULL if out of memory.
struct cache_model *cache_model_new(u64 bytes, u64 ways, u64 line_bytes);
void cache_model_free(struct cache_model *cache); // NULL: nothing

bool cache_model_access_slow(struct cache_model *cache, u64 line);

// Returns whether a line is the most recently used one of its set. An access to it changes nothing.
static inline bool cache_model_recent(const struct cache_model *cache, u64 line)
{
    return cache->lines[(line & cache->set_mask) * cache->ways] == line;
}

// Accesses line (byte address / line_bytes, not CACHE_NO_LINE). Returns true if it was there. False
// is a miss: the line replaces the least recently used one of its set. Either way it becomes the
// most recently used.
static inline bool cache_model_access(struct cache_model *cache, u64 line)
{
    return cache_model_recent(cache, line) || cache_model_access_slow(cache, line);
}

#endif
