// SPDX-License-Identifier: MIT
// Hardware counters in a trace: which ones, and the counting session that makes them count.
#ifndef KOV_TRACE_COUNTERS_H
#define KOV_TRACE_COUNTERS_H

#include "counts/count_request.h"
#include "counts/event_list.h"
#include "output/document.h"

struct trace_counters {
    bool wanted; // if not, no other member is set and all functions do nothing
    bool count;  // the session has begun
    bool traced; // it goes into the trace
    u64 majors;  // events of these majors have the counters
    struct event_list events;
    struct count_request request;
};

// Decides on "EVENT[:u|:k],…" of `kov events`. They go with the events of these majors. Returns
// KOV_USAGE if there is no such event, or if there are too many.
int trace_counters_decide(struct trace_counters *counters, const char *text, u64 majors);
// Starts the session, once the trace is on.
int trace_counters_start(struct trace_counters *counters);
// Repeats on a new connection what the start has done, even if it is still under way.
int trace_counters_start_again(struct trace_counters *counters);
int trace_counters_stop(const struct trace_counters *counters);
// Prints which value is which event.
void trace_counters_print(const struct trace_counters *counters);
void trace_counters_json(json_t *json, const struct trace_counters *counters);
void trace_counters_free(struct trace_counters *counters);

#endif
