// SPDX-License-Identifier: MIT
// The metrics of KOV (S000 §4.2): one table of formulas over counts of events.
#ifndef KOV_METRICS_H
#define KOV_METRICS_H

#include "counts/counts.h"

#define METRIC_TERMS 2
#define METRICS_MAX 8

struct metric {
    const char *name;
    const char *formula; // for people
    bool percent;
    double factor;
    struct {
        const char *event; // NULL: no such term
        int sign;
    } terms[METRIC_TERMS]; // added up
    const char *divisor;
};

extern const struct metric metrics[];
extern const size_t metric_count;

struct metric_value {
    double value;    // in percent if the metric is
    double error;    // half the width of its 99 % interval; negative: not known
    double measured; // part of the time in which its least measured event was, 0…1
    u32 left_out;    // bit n: CPU n is not in it, as an event of it was not measured there
};

// Computes a metric from the counts of this mode. `counts` has one for each item of the request. If
// it can, it takes all events from one set, because these were measured at the same time. Returns
// false if an event is not among the items or was not measured, or if the divisor is 0.
bool metric_compute(const struct metric *metric, const struct count_request *request,
                    const struct count *counts, enum count_mode mode, struct metric_value *value);
// Computes a metric of a CPU of a reading, or of ALL_CPUS. A CPU on which an event of it was not
// measured is in neither side of the ratio. If it can, it takes a set of events that leaves out
// none, else the one that leaves out the fewest. Returns false as metric_compute does.
bool metric_of_reading(const struct metric *metric, const struct count_request *request,
                       const struct count_reading *reading, u32 cpu, enum count_mode mode,
                       struct metric_value *value);
// Does the same of the interval that count_reading_between gave. The
// value is NaN if that returns false. The error is NaN if it is not known.
struct metric_value metric_of_interval(const struct metric *metric,
                                       const struct count_request *request,
                                       const struct count_reading *between, u32 cpu,
                                       enum count_mode mode);

#endif
