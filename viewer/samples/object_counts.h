// SPDX-License-Identifier: MIT
// Counts of hardware events by object, estimated from samples. Each sample stands for as many
// events as the threshold was.
#ifndef KOV_OBJECT_COUNTS_H
#define KOV_OBJECT_COUNTS_H

#include "counts/metrics.h"
#include "samples/samples.h"
#include "tools/intern.h"

struct object_row {
    const char *missing; // "[none]", "[stale]", "[idle]" in place of an object; NULL: there is one
    u32 pid;             // the process of its object or code; 0: the kernel
    coid_t coid;
    struct sample_sum sums[SAMPLED_EVENTS_MAX]; // by event
};

// Must not be copied once it has begun, since the request points into it.
struct object_counts {
    struct object_row *rows;
    size_t count, capacity;
    struct sample_sum totals[SAMPLED_EVENTS_MAX]; // of all rows
    struct sample_sum idle[SAMPLED_EVENTS_MAX];   // of "[idle]" alone
    struct intern keys;                           // the row of each object
    struct event_info events[SAMPLED_EVENTS_MAX]; // names only
    struct count_request request;                 // the events as metrics want them, in one set
};

void object_counts_begin(struct object_counts *counts, const struct sampled_events *events);
void object_counts_add(struct object_counts *counts, const struct sample *sample);
// Sorts the objects: those with most of the first event come first. Scales each event by its share,
// which says how much of the time it was sampled. Nothing may be added after that.
void object_counts_order(struct object_counts *counts, const struct sample_share shares[]);
// Returns the row's percentage of all samples of the event that are not idle; of "[idle]": of all.
double object_counts_share(const struct object_counts *counts, const struct object_row *row,
                           u32 event);
// Computes a metric of an object. Returns false if one of its events was not sampled, or if its
// divisor has no sample of the object. The error is that of chance; it is not known if an event has
// no sample.
bool object_counts_metric(const struct object_counts *counts, const struct object_row *row,
                          const struct metric *metric, enum count_mode mode,
                          struct metric_value *value);
void object_counts_free(struct object_counts *counts);

#endif
