// SPDX-License-Identifier: MIT
// What is known of positions: a hash table, where a position takes the place of one that has cost
// less work, or of the last one.
#ifndef FHOUR_TABLE_H
#define FHOUR_TABLE_H

#include <orrery/types.h>

// What a position is worth for who is to move. The bounds: at least, at most a draw.
enum value {
    VALUE_UNKNOWN,
    VALUE_LOSS,
    VALUE_AT_MOST_DRAW,
    VALUE_DRAW,
    VALUE_AT_LEAST_DRAW,
    VALUE_WIN
};

// Makes an empty table of 2^bits pairs of places. Returns false if there is no memory.
bool table_make(u32 bits);
enum value table_find(u64 key);
// work: positions visited below this one.
void table_store(u64 key, enum value value, u64 work);

#endif
