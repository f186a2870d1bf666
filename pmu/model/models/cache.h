// SPDX-License-Identifier: MIT
// One level of a cache: set-associative, least recently used. It knows lines by number only:
// whether these are physical or virtual, what a store does, and which level is asked next is the
// caller's. Stands for one CPU: no two threads at a time.
#ifndef MODEL_CACHE_H
#define MODEL_CACHE_H

#include <orrery/types.h>

#define CACHE_NO_LINE (~0UL)

struct cache_model {
    // set after set, in each the most recently used first, CACHE_NO_LINE where there is none
    u64 *lines;
    u64 set_mask;
    u64 ways;
};

// bytes, ways, line_bytes: powers of two, ways * line_bytes <= bytes (machine_load has seen to it).
// Starts empty.
// NULL: no memory.
struct cache_model *cache_model_new(u64 bytes, u64 ways, u64 line_bytes);
void cache_model_free(struct cache_model *cache); // NULL: nothing

bool cache_model_access_slow(struct cache_model *cache, u64 line);

// Whether a line is the most recently used one of its set, so that an access to it changes nothing.
static inline bool cache_model_recent(const struct cache_model *cache, u64 line)
{
    return cache->lines[(line & cache->set_mask) * cache->ways] == line;
}

// line: byte address / line_bytes, not CACHE_NO_LINE. True: it was there. False: a miss, and the
// line has taken the place of its set's least recently used one. Either way it is now its set's
// most recently used.
static inline bool cache_model_access(struct cache_model *cache, u64 line)
{
    return cache_model_recent(cache, line) || cache_model_access_slow(cache, line);
}

#endif
