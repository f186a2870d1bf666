// SPDX-License-Identifier: MIT
// Rows with a key, in a tree of the C library.
#include "tools/keyed_rows.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

// Compares two keys. Most differ in the first number.
static int compare(const void *one, const void *other)
{
    const u64 *a = one, *b = other;
    u32 i = 0;
    while (i < KEY_WORDS - 1 && a[i] == b[i])
        i++;
    return a[i] < b[i] ? -1 : a[i] > b[i];
}

void *keyed_rows_find(const struct keyed_rows *rows, const u64 key[KEY_WORDS])
{
    void **found = tfind(key, &rows->tree, compare);
    return found == NULL ? NULL : *found;
}

void *keyed_rows_get(struct keyed_rows *rows, const u64 key[KEY_WORDS])
{
    void *row = keyed_rows_find(rows, key);
    if (row != NULL)
        return row;
    row = memory_get(rows->row_bytes);
    memcpy(row, key, KEY_WORDS * sizeof(u64));
    if (tsearch(row, &rows->tree, compare) == NULL)
        exit(fail(KOV_FAILED, "out of memory"));
    rows->rows = memory_grow(rows->rows, rows->count, &rows->capacity, sizeof(*rows->rows));
    rows->rows[rows->count++] = row;
    return row;
}

void keyed_rows_free(struct keyed_rows *rows)
{
    tdestroy(rows->tree, free);
    free(rows->rows);
    *rows = (struct keyed_rows){.row_bytes = rows->row_bytes};
}
