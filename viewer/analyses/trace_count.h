// SPDX-License-Identifier: MIT
// Measures how long it takes from one event to another.
#ifndef KOV_TRACE_COUNT_H
#define KOV_TRACE_COUNT_H

#include "analyses/trace_tool.h"

struct trace_count_options {
    const char *pair; // "A..B", each as `trace show -e` takes it
    const char *by;   // "FIELD" of both events, or "FIELD=FIELD" of A and of B; NULL: by CPU
    u64 most;         // rows; 0: all
};

// Puts "pairs", by CPU or by the field's value, and "all". A pair is an event A and the first B
// after it with the same CPU or value. If several A come before a B, the last one counts.
int trace_count(struct engine *engine, const struct trace_choice *choice,
                const struct trace_count_options *options, json_t *document);

extern const struct sheet trace_count_sheets[];
void trace_count_note(const json_t *document);

#endif
