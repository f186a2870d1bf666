// SPDX-License-Identifier: MIT
// Rows with a number each, in one array, in the order in which they were added. Whatever numbers a
// file has, and in whatever order, a row is found in at most 64 steps: each takes a bit of the
// number, lowest first.
#ifndef KOV_ID_ROWS_H
#define KOV_ID_ROWS_H

#include <orrery/types.h>
#include <stddef.h>

// A row begins with it.
struct id_row {
    u64 id;
    u32 next[2]; // by the next bit, the row to go on with; 0: none, since that is the first one
};

struct id_rows {
    void *rows;
    size_t row_bytes, count, capacity;
};

static inline void *id_rows_at(const struct id_rows *rows, size_t place)
{
    return (u8 *)rows->rows + place * rows->row_bytes;
}

// Returns NULL when there is none.
void *id_rows_find(const struct id_rows *rows, u64 id);
// Returns the row of a number. Adds it if there is none, all else zero; then rows may move.
void *id_rows_get(struct id_rows *rows, u64 id);
// Free the copy.
void id_rows_copy(struct id_rows *to, const struct id_rows *from);
void id_rows_free(struct id_rows *rows);

#endif
