// SPDX-License-Identifier: MIT
// Ranks objects, classes or processes by their part of an event in an interval, and tells how that
// part has changed since another interval. `kov locks` tells the same shares of the same samples.
#ifndef KOV_RANKING_H
#define KOV_RANKING_H

#include "counts/metrics.h"
#include "machine/snapshot.h"
#include "samples/site_sums.h"
#include "tools/intern.h"

// RANKING_SITE: objects; what is of no object has a row for each process.
enum ranking_by { RANKING_OBJECT, RANKING_CLASS, RANKING_PROCESS, RANKING_SITE };

struct ranking_row {
    const char *name; // as in other tables of kov; in the ranking's memory
    // SITE_OBJECT or SITE_PROCESS, or what replaces them: SITE_IDLE, …
    enum site_kind kind;
    u32 pid;     // of an object or process
    coid_t coid; // of an object
    u64 samples;
    struct estimate events;
    struct estimate share; // percent of all that is not idle; of SITE_IDLE: of all
    // Only with a baseline: its share in the baseline, the change since (both in percent), and
    // whether that is chance, by Fisher's exact test.
    struct estimate before, change;
    bool chance;
    // Likewise of its rate: events in the baseline, and whether the change of events by time is
    // chance, by the exact test of two counts.
    struct estimate events_before;
    bool rate_chance;
};

struct ranking {
    struct ranking_row *rows; // the largest first
    size_t count, capacity;
    struct intern names;         // the number of a name is that of its row
    struct estimate events;      // of all rows but SITE_IDLE
    u64 samples;                 // likewise
    u64 covered, covered_before; // ticks in which it was sampled
    // Overflows without a sample. The rows count them like those with one, and errors are of chance
    // alone: who had them is not known. lost_events is how many
    // events they stand for; lost_share is their percentage of all overflows.
    u64 lost, missed;
    double lost_events, lost_share;
};

// Ranks the event's samples. `baseline` has those of another interval, or is NULL. A row of either
// interval is in the ranking. Names come from the snapshot. The caller always frees the ranking.
void ranking_compute(const struct site_sums *sums, const struct site_sums *baseline, u32 event,
                     enum ranking_by by, const struct snapshot *snapshot, struct ranking *ranking);
// Likewise, but these processes have no row of their own: all that is theirs, their objects and
// their code, is in one row, RANKING_HIDDEN_NAME. So each share stays of the same whole.
#define RANKING_HIDDEN_MAX 64
#define RANKING_HIDDEN_NAME "[hidden]"
struct ranking_hidden {
    u32 pids[RANKING_HIDDEN_MAX];
    u32 count;
};
void ranking_compute_hiding(const struct site_sums *sums, const struct site_sums *baseline,
                            u32 event, enum ranking_by by, const struct snapshot *snapshot,
                            const struct ranking_hidden *hidden, struct ranking *ranking);
void ranking_free(struct ranking *ranking);

// A thing, as a row names it. An object or process has kind, pid and coid; a class has its name;
// the machine is SITE_ALL.
struct ranking_thing {
    enum ranking_by by;
    enum site_kind kind;
    u32 pid;
    coid_t coid;
    const char *class_name; // with RANKING_CLASS
};
// Adds up what the samples of one thing stand for, scaled. Returns false if the event was not
// sampled.
bool ranking_thing(const struct site_sums *sums, u32 event, const struct ranking_thing *thing,
                   const struct snapshot *snapshot, struct sample_sum *sum);
// Returns the number of events that scaled samples stand for.
struct estimate ranking_estimate(const struct sample_sum *sum);

// Computes a metric of a thing from samples of the events in its formula. `events` has the names of
// events by number. The value is NaN if an event was not sampled in this mode, or if the divisor
// has no sample. The error is NaN if an event has no sample.
struct metric_value ranking_metric(const struct site_sums *sums, const struct sampled_event *events,
                                   u32 event_count, const struct metric *metric,
                                   enum count_mode mode, const struct ranking_thing *thing,
                                   const struct snapshot *snapshot);

#endif
