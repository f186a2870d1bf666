// SPDX-License-Identifier: MIT
// Counts by object: a row an object, a column an event; and the metrics if their events are there.
#ifndef KOV_OBJECT_COUNTS_PRINT_H
#define KOV_OBJECT_COUNTS_PRINT_H

#include "machine/snapshot.h"
#include "output/columns.h"
#include "samples/object_counts.h"

struct object_view {
    const struct object_counts *counts;
    const struct snapshot *snapshot;
    size_t max_rows;   // 0: all
    const char *label; // in front of every line, such as the time; "" for none
};

// Adds an array "objects", which is returned.
json_t *object_counts_put(json_t *json, const struct object_view *view);
// Of these rows; they last until the next call.
const struct column *object_counts_columns(const struct object_view *view, const json_t *rows);
// Two tables: counts, and metrics if there are any.
void object_counts_print(const struct object_view *view);

#endif
