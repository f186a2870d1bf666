// SPDX-License-Identifier: MIT
// Prints counts by object: one row an object, one column an event, and the metrics whose events are
// there.
#ifndef KOV_OBJECT_COUNTS_PRINT_H
#define KOV_OBJECT_COUNTS_PRINT_H

#include "machine/snapshot.h"
#include "output/columns.h"
#include "samples/object_counts.h"

struct object_view {
    const struct object_counts *counts;
    const struct snapshot *snapshot;
    size_t max_rows;   // 0: all
    const char *label; // printed before every line, such as the time; "" for none
};

// Adds an array "objects" and returns it.
json_t *object_counts_put(json_t *json, const struct object_view *view);
// Returns the columns of these rows. They are valid until the next call.
const struct column *object_counts_columns(const struct object_view *view, const json_t *rows);
// Prints the table of counts, and a table of metrics if there are any.
void object_counts_print(const struct object_view *view);

#endif
