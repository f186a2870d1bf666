// SPDX-License-Identifier: MIT
// Hardware counters that go into a trace: which, and the counting session that makes them count.
#ifndef KOV_TRACE_COUNTERS_H
#define KOV_TRACE_COUNTERS_H

#include "counts/count_request.h"
#include "counts/event_list.h"
#include "output/document.h"

struct trace_counters {
    bool wanted; // none of the rest holds else, and all functions do nothing
    bool count;  // the session has begun
    bool traced; // and goes into the trace
    u64 majors;  // with whose events they go
    struct event_list events;
    struct count_request request;
};

// text: "EVENT[:u|:k],…" of `kov events`. They go with the events of these majors.
// KOV_USAGE when there is no such event, or too many.
int trace_counters_decide(struct trace_counters *counters, const char *text, u64 majors);
// Once the trace is on.
int trace_counters_start(struct trace_counters *counters);
// On a new connection: what the start, which may be under way, had done.
int trace_counters_start_again(struct trace_counters *counters);
int trace_counters_stop(const struct trace_counters *counters);
// Which value is which event.
void trace_counters_print(const struct trace_counters *counters);
void trace_counters_json(json_t *json, const struct trace_counters *counters);
void trace_counters_free(struct trace_counters *counters);

#endif
