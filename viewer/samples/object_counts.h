// SPDX-License-Identifier: MIT
// Counts of hardware events by object,
// estimated from samples: each stands for as many events as the threshold was.
#ifndef KOV_OBJECT_COUNTS_H
#define KOV_OBJECT_COUNTS_H

#include "counts/metrics.h"
#include "samples/samples.h"
#include "tools/intern.h"

struct object_row {
    const char *missing; // "[none]", "[stale]", "[idle]" in place of an object; NULL: it is one
    u32 pid;             // whose object or code it is; 0: the kernel's
    coid_t coid;
    struct sample_sum sums[SAMPLED_EVENTS_MAX]; // by event
};

// Not to be copied once it has begun: the request points into it.
struct object_counts {
    struct object_row *rows;
    size_t count, capacity;
    struct sample_sum totals[SAMPLED_EVENTS_MAX]; // of all rows
    struct intern keys;                           // the row of each object
    struct event_info events[SAMPLED_EVENTS_MAX]; // names only
    struct count_request request;                 // the events as metrics want them: one set
};

void object_counts_begin(struct object_counts *counts, const struct sampled_events *events);
void object_counts_add(struct object_counts *counts, const struct sample *sample);
// The objects with most of the first event first; shares of each event: how much of the time it was
// sampled. Nothing is added any more.
void object_counts_order(struct object_counts *counts, const struct sample_share shares[]);
// Of all samples of the event, percent.
double object_counts_share(const struct object_counts *counts, const struct object_row *row,
                           u32 event);
// False: not all of its events were sampled, or its divisor has no sample of the object.
// The error is that of chance; it is not known where an event has no sample.
bool object_counts_metric(const struct object_counts *counts, const struct object_row *row,
                          const struct metric *metric, enum count_mode mode,
                          struct metric_value *value);
void object_counts_free(struct object_counts *counts);

#endif
