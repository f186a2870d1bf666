// SPDX-License-Identifier: MIT
// Prints an aggregate of samples as a table with call chains.
#ifndef KOV_TABLE_H
#define KOV_TABLE_H

#include "output/document.h"
#include "samples/aggregate.h"

// Adds a table of at most max_rows rows (0: all) to an array, with the event of the samples.
// Returns the table.
json_t *table_put(json_t *json, const struct aggregate *aggregate,
                  const struct sampled_event *event, size_t max_rows);
void table_csv(const struct aggregate *aggregate, const json_t *table);
// Prints it for people, with call chains.
void table_print(const struct aggregate *aggregate, const json_t *table);

#endif
