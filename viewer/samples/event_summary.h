// SPDX-License-Identifier: MIT
// What came of each event of a sampling session: samples, losses, and how many events they stand
// for.
#ifndef KOV_EVENT_SUMMARY_H
#define KOV_EVENT_SUMMARY_H

#include "output/columns.h"
#include "samples/sampling.h"

// An array of a row an event; per_cpu: with what came from each CPU.
json_t *event_summary_put(json_t *json, const struct sampling_request *request,
                          const struct sample_set *samples, bool per_cpu);
extern const struct column event_summary_columns[];
// The table alone.
void event_summary_print(const struct sampling_request *request, const struct sample_set *samples);

// Members of all samples together: samples, lost, missed, filtered, idle, kernel, processes,
// attributed, unattributed, stale, soft_masked, attributed_percent.
void sample_totals_put(json_t *json, const struct sample_set *samples);
// Of the samples that are not idle.
double samples_attributed_percent(const struct sample_totals *totals);
// The members that name an event: event, mode, period, randomise.
void event_name_json(json_t *json, const struct sampled_event *event);

// A cell, "7.30 %": a row's member, such as "events_error", of its "events"; "-" without any.
void event_error_cell(const struct column *column, const json_t *row, char text[CELL_BYTES]);

#endif
