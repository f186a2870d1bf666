// SPDX-License-Identifier: MIT
// Rows with a key of a few numbers, in the order in which they were added.
#ifndef KOV_KEYED_ROWS_H
#define KOV_KEYED_ROWS_H

#include <orrery/types.h>
#include <stddef.h>

#define KEY_WORDS 5

struct keyed_rows {
    size_t row_bytes; // a row begins with u64 key[KEY_WORDS]; the rest is zero at first
    void **rows;
    size_t count, capacity;
    void *tree; // of tsearch
};

// Returns the row of a key. Adds it if there is none.
void *keyed_rows_get(struct keyed_rows *rows, const u64 key[KEY_WORDS]);
// Returns NULL when there is none.
void *keyed_rows_find(const struct keyed_rows *rows, const u64 key[KEY_WORDS]);
// Frees the rows. The owner first frees the memory that they point to.
void keyed_rows_free(struct keyed_rows *rows);

#endif
