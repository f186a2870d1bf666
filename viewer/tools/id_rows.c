// SPDX-License-Identifier: MIT
// A digital search tree, whose links are places in the array.
#include "tools/id_rows.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

// Returns the row with the number, or else the one behind which it belongs; NULL: there are none.
// `bits` is what of the number is left there.
static struct id_row *closest(const struct id_rows *rows, u64 id, u64 *bits)
{
    struct id_row *row = rows->count > 0 ? rows->rows : NULL;
    *bits = id;
    while (row != NULL && row->id != id && row->next[*bits & 1] != 0) {
        row = id_rows_at(rows, row->next[*bits & 1]);
        *bits >>= 1;
    }
    return row;
}

void *id_rows_find(const struct id_rows *rows, u64 id)
{
    u64 bits;
    struct id_row *row = closest(rows, id, &bits);
    return row != NULL && row->id == id ? row : NULL;
}

void *id_rows_get(struct id_rows *rows, u64 id)
{
    u64 bits;
    struct id_row *row = closest(rows, id, &bits);
    if (row != NULL && row->id == id)
        return row;
    if (row != NULL)
        row->next[bits & 1] = (u32)rows->count;
    rows->rows = memory_grow(rows->rows, rows->count, &rows->capacity, rows->row_bytes);
    row = id_rows_at(rows, rows->count++);
    memset(row, 0, rows->row_bytes);
    row->id = id;
    return row;
}

void id_rows_copy(struct id_rows *to, const struct id_rows *from)
{
    *to = *from;
    to->capacity = from->count;
    to->rows = memory_get((from->count + 1) * from->row_bytes);
    if (from->count > 0)
        memcpy(to->rows, from->rows, from->count * from->row_bytes);
}

void id_rows_free(struct id_rows *rows)
{
    free(rows->rows);
    *rows = (struct id_rows){.row_bytes = rows->row_bytes};
}
