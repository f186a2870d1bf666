// SPDX-License-Identifier: MIT
// An aggregate of samples as a table, with call chains.
#ifndef KOV_TABLE_H
#define KOV_TABLE_H

#include "output/document.h"
#include "samples/aggregate.h"

// Adds a table of at most max_rows rows (0: all) to an array, with the event that the samples are
// of; it is returned.
json_t *table_put(json_t *json, const struct aggregate *aggregate,
                  const struct sampled_event *event, size_t max_rows);
void table_csv(const struct aggregate *aggregate, const json_t *table);
// For people, with call chains.
void table_print(const struct aggregate *aggregate, const json_t *table);

#endif
