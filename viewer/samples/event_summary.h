// SPDX-License-Identifier: MIT
// What came of each event of a sampling session: samples, losses,
// and how many events they stand for.
#ifndef KOV_EVENT_SUMMARY_H
#define KOV_EVENT_SUMMARY_H

#include "output/json.h"
#include "samples/sampling.h"

// One line each, below a heading.
void event_summary_print(FILE *out, const struct sampling_request *request,
                         const struct sample_set *samples);
// An array; per_cpu: with what came from each CPU.
void event_summary_json(struct json *json, const char *key, const struct sampling_request *request,
                        const struct sample_set *samples, bool per_cpu);
// The members that name an event: event, mode, period, randomise.
void event_name_json(struct json *json, const struct sampled_event *event);

// "7.3 %", of what samples stand for; "-" without any.
#define ERROR_TEXT_BYTES 24
const char *event_error_text(const struct sample_sum *sum, char text[ERROR_TEXT_BYTES]);

#endif
