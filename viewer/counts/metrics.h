// SPDX-License-Identifier: MIT
// The metrics of KOV (seed: KOV §4.2), as formulas over counts of events: one table.
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
    double value;    // in percent when the metric is
    double error;    // half width of its 99 % interval; negative: not known
    double measured; // part of the time in which its least counted event was, 0…1
};

// From counts (one for each item of the request), those of this mode. All that the metric needs are
// taken from one set if they can be, because these were measured at the same time. False: an event
// is not among the items, was not measured, or is a divisor that is 0.
bool metric_compute(const struct metric *metric, const struct count_request *request,
                    const struct count *counts, enum count_mode mode, struct metric_value *value);
// Of a CPU, or ALL_CPUS, in the interval that count_reading_between gave. Value NaN: not known, as
// metric_compute says; error NaN: not known.
struct metric_value metric_of_interval(const struct metric *metric,
                                       const struct count_request *request,
                                       const struct count_reading *between, u32 cpu,
                                       enum count_mode mode);

#endif
