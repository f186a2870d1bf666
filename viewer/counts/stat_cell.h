// SPDX-License-Identifier: MIT
// What the tables of `kov stat` share: names of events and metrics, and the cells of metrics.
#ifndef KOV_STAT_CELL_H
#define KOV_STAT_CELL_H

#include "counts/metrics.h"
#include "output/columns.h"

#define STAT_CELL_WIDTH 16
#define STAT_CELL_WIDE 22 // with errors
#define STAT_METRIC_COLUMNS (COUNT_MODES * METRICS_MAX)

// Writes a name such as "larx:k", from a row's members "event" or "metric", and "mode".
void stat_cell_title(const struct column *column, const json_t *row, char text[CELL_BYTES]);

// Computes a metric of what context stands for. Returns false if there is none.
typedef bool stat_compute(const void *context, const struct metric *metric, enum count_mode mode,
                          struct metric_value *value);
// Adds an array "metrics" of those that can be computed.
json_t *stat_put_metrics(json_t *at, stat_compute *compute, const void *context);
// Makes a column for each metric that any row has in its "metrics". Returns how many columns there
// are.
u32 stat_metric_columns(const json_t *rows, struct column columns[STAT_METRIC_COLUMNS]);

#endif
