// SPDX-License-Identifier: MIT
// Cells of the tables of `kov stat` that have a row for each process, thread or object.
#ifndef KOV_STAT_CELL_H
#define KOV_STAT_CELL_H

#include "counts/metrics.h"
#include "output/json.h"

#define STAT_CELL_BYTES 48
#define STAT_CELL_WIDTH 16
#define STAT_CELL_WIDE 22 // with errors

// Right-aligned, and a blank behind it.
void stat_cell_print(const char *cell, int width);
// "0.5000 ± 0.0100 %"; ~ stands before one whose error is not known.
const char *stat_cell_metric(const struct metric_value *value, bool percent,
                             char cell[STAT_CELL_BYTES]);
// "IPC:k"
const char *stat_cell_metric_name(const struct metric *metric, enum count_mode mode,
                                  char cell[STAT_CELL_BYTES]);

// A metric's members of the object that is open.
void stat_json_metric(struct json *json, const struct metric *metric, enum count_mode mode,
                      const struct metric_value *value);

#endif
