// SPDX-License-Identifier: MIT
// How values are spread, in log-linear classes: 32 to each power of two, so that a percentile is
// off by at most 1/64 of itself, however many values there are. Below 64 it is exact.
#ifndef KOV_HISTOGRAM_H
#define KOV_HISTOGRAM_H

#include <orrery/types.h>
#include <stddef.h>

#define HISTOGRAM_ERROR_PERCENT 1.6

// All zero at first.
struct histogram {
    u64 *classes; // how many values there are in each
    size_t size;
    u64 count, min, max;
    double sum;
};

void histogram_add(struct histogram *histogram, u64 value);
void histogram_join(struct histogram *histogram, const struct histogram *other);
// The smallest value that at least `percent` of all do not exceed; 0 when there are none.
u64 histogram_percentile(const struct histogram *histogram, double percent);
double histogram_mean(const struct histogram *histogram);
// Values from `low` on, below `high`, each a power of two: exact.
u64 histogram_between(const struct histogram *histogram, u64 low, u64 high);
void histogram_free(struct histogram *histogram);

#endif
