// SPDX-License-Identifier: MIT
// Sums up each event of a sampling session: its samples, its losses, and how many events they stand
// for.
#ifndef KOV_EVENT_SUMMARY_H
#define KOV_EVENT_SUMMARY_H

#include "output/columns.h"
#include "samples/sampling.h"

// Adds an array with a row for each event. With `per_cpu` a row also has the numbers of each CPU.
json_t *event_summary_put(json_t *json, const struct sampling_request *request,
                          const struct sample_set *samples, bool per_cpu);
extern const struct column event_summary_columns[];
// Prints only the table.
void event_summary_print(const struct sampling_request *request, const struct sample_set *samples);

// Adds the members of all samples together: samples, lost, missed, filtered, idle, kernel,
// processes, attributed, unattributed, stale, soft_masked, attributed_percent.
void sample_totals_put(json_t *json, const struct sample_set *samples);
// Returns the percentage of the samples that are not idle.
double samples_attributed_percent(const struct sample_totals *totals);
// Adds the members that name an event: event, mode, period, randomise.
void event_name_json(json_t *json, const struct sampled_event *event);

// Writes a cell such as "7.30 %": a member of the row, such as "events_error", in percent of its
// "events". Writes CELL_UNKNOWN if there are no events.
void event_error_cell(const struct column *column, const json_t *row, char text[CELL_BYTES]);

#endif
