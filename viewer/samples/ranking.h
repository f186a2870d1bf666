// SPDX-License-Identifier: MIT
// Objects, classes or processes by their part of an event in an interval, and how that has changed
// since another one. Of the same samples `kov locks` tells the same shares.
#ifndef KOV_RANKING_H
#define KOV_RANKING_H

#include "counts/metrics.h"
#include "machine/snapshot.h"
#include "samples/site_sums.h"
#include "tools/intern.h"

enum ranking_by { RANKING_OBJECT, RANKING_CLASS, RANKING_PROCESS };

struct ranking_row {
    const char *name; // as other tables of kov have it; in the ranking's memory
    // Of what it is: SITE_OBJECT or SITE_PROCESS; or what stands in place of it: SITE_IDLE, …
    enum site_kind kind;
    u32 pid;     // of an object or process
    coid_t coid; // of an object
    u64 samples;
    struct estimate events;
    struct estimate share; // percent
    // With a baseline: its share then, percent; what it has changed by; is that chance?
    struct estimate before, change;
    bool chance;
};

struct ranking {
    struct ranking_row *rows; // the largest first
    size_t count, capacity;
    struct intern names;    // the row of each
    struct estimate events; // of all rows
    u64 samples;
    // Overflows without a sample: in rows as those with one. What they stand for, and which part of
    // all overflows they are, percent.
    u64 lost, missed;
    double lost_events, lost_share;
};

// The event's samples; baseline: NULL, or those of another interval. Rows that are in one of the
// two are in the ranking. Names are the snapshot's. To be freed, always.
void ranking_compute(const struct site_sums *sums, const struct site_sums *baseline, u32 event,
                     enum ranking_by by, const struct snapshot *snapshot, struct ranking *ranking);
void ranking_free(struct ranking *ranking);

// A thing, as a row names it: kind, pid and coid of an object or process; of a class its name; or
// SITE_ALL for the machine.
struct ranking_thing {
    enum ranking_by by;
    enum site_kind kind;
    u32 pid;
    coid_t coid;
    const char *class_name; // with RANKING_CLASS
};
// What the samples of one thing stand for, scaled. False: the event was not sampled.
bool ranking_thing(const struct site_sums *sums, u32 event, const struct ranking_thing *thing,
                   const struct snapshot *snapshot, struct sample_sum *sum);
// The events that scaled samples stand for.
struct estimate ranking_estimate(const struct sample_sum *sum);

// A metric of a thing, from samples of the events in its formula; names of events by number. Value
// NaN: an event was not sampled in this mode, or there is no sample of the divisor. Error NaN: an
// event has no sample.
struct metric_value ranking_metric(const struct site_sums *sums, const struct sampled_event *events,
                                   u32 event_count, const struct metric *metric,
                                   enum count_mode mode, const struct ranking_thing *thing,
                                   const struct snapshot *snapshot);

#endif
