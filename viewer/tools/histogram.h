// SPDX-License-Identifier: MIT
// How values are spread. Classes are log-linear, 32 to each power of two. So a percentile is off by
// at most 1/64 of itself, however many values there are, and exact below 64.
#ifndef KOV_HISTOGRAM_H
#define KOV_HISTOGRAM_H

#include <orrery/types.h>
#include <stddef.h>

#define HISTOGRAM_ERROR_PERCENT 1.6

// All zero at first.
struct histogram {
    u64 *classes; // number of values in each class
    size_t size;
    u64 count, min, max;
    double sum;
};

void histogram_add(struct histogram *histogram, u64 value);
void histogram_join(struct histogram *histogram, const struct histogram *other);
// Returns the smallest value that at least `percent` of all values do not exceed. 0 when there are
// none.
u64 histogram_percentile(const struct histogram *histogram, double percent);
double histogram_mean(const struct histogram *histogram);
// Returns the exact number of values from `low` on and below `high`, each a power of two.
u64 histogram_between(const struct histogram *histogram, u64 low, u64 high);
void histogram_free(struct histogram *histogram);

#endif
