// SPDX-License-Identifier: MIT
// Counts by object, as a table or as JSON.
#ifndef KOV_OBJECT_COUNTS_PRINT_H
#define KOV_OBJECT_COUNTS_PRINT_H

#include "machine/snapshot.h"
#include "output/json.h"
#include "samples/object_counts.h"

struct object_view {
    const struct object_counts *counts;
    const struct snapshot *snapshot;
    size_t max_rows;   // 0: all
    const char *label; // in front of every line, such as the time; "" for none
};

// A row an object, a column an event; below, if their events are there, the metrics.
void object_counts_print(const struct object_view *view);
// An array "objects" of the object that is open.
void object_counts_json(struct json *json, const struct object_view *view);

#endif
