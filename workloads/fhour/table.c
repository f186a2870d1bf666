// SPDX-License-Identifier: MIT
// The hash table. A place is one word: key 52 bits, work (its logarithm) 8, value 4.
#include "table.h"

#include <stdlib.h>

#include "board.h"

#define KEY_SHIFT 12
#define WORK_SHIFT 4
#define VALUE_MASK 15UL

struct pair {
    u64 costly, latest;
};

static struct pair *pairs;
static u32 shift; // of a hashed key

bool table_make(u32 bits)
{
    pairs = calloc(1UL << bits, sizeof(*pairs));
    shift = 64 - bits;
    return pairs != NULL;
}

// By the golden ratio (Knuth, The Art of Computer Programming 3, §6.4).
static struct pair *pair_of(u64 key)
{
    return &pairs[key * 0x9e3779b97f4a7c15UL >> shift];
}

static bool is_of(u64 entry, u64 key)
{
    return entry >> KEY_SHIFT == key && entry != 0;
}

APART enum value table_find(u64 key)
{
    const struct pair *pair = pair_of(key);

    if (is_of(pair->costly, key))
        return pair->costly & VALUE_MASK;
    return is_of(pair->latest, key) ? pair->latest & VALUE_MASK : VALUE_UNKNOWN;
}

static u64 work_of(u64 entry)
{
    return entry >> WORK_SHIFT & 0xff;
}

APART void table_store(u64 key, enum value value, u64 work)
{
    struct pair *pair = pair_of(key);
    u64 entry = key << KEY_SHIFT | (u64)(64 - __builtin_clzl(work | 1)) << WORK_SHIFT | value;

    if (is_of(pair->costly, key) || work_of(entry) >= work_of(pair->costly))
        pair->costly = entry;
    else
        pair->latest = entry;
}
