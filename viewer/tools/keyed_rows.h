// SPDX-License-Identifier: MIT
// Rows that are found by a key of a few numbers, and kept in the order of their coming.
#ifndef KOV_KEYED_ROWS_H
#define KOV_KEYED_ROWS_H

#include <orrery/types.h>
#include <stddef.h>

#define KEY_WORDS 5

struct keyed_rows {
    size_t row_bytes; // a row begins with u64 key[KEY_WORDS]; all else is zero at first
    void **rows;
    size_t count, capacity;
    void *tree; // of tsearch
};

// The row of a key, added when there is none.
void *keyed_rows_get(struct keyed_rows *rows, const u64 key[KEY_WORDS]);
// NULL when there is none.
void *keyed_rows_find(const struct keyed_rows *rows, const u64 key[KEY_WORDS]);
// Memory that rows point to is freed by their owner, before.
void keyed_rows_free(struct keyed_rows *rows);

#endif
