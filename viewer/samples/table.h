// SPDX-License-Identifier: MIT
// Prints an aggregate of samples: as a table with call chains, or as JSON.
#ifndef KOV_TABLE_H
#define KOV_TABLE_H

#include "output/json.h"
#include "samples/aggregate.h"

// At most max_rows rows; 0: all.
void table_print(FILE *out, const struct aggregate *aggregate, size_t max_rows);
// An object in an array, with the event that the samples are of.
void table_json(struct json *json, const struct aggregate *aggregate,
                const struct sampled_event *event, size_t max_rows);

#endif
