// SPDX-License-Identifier: MIT
// Estimates from repeated intervals. What was measured in each of `count` intervals of equal length
// is taken as a sample. The error is that of the mean, by Student's distribution.
#ifndef KOV_TRACE_REPEATS_H
#define KOV_TRACE_REPEATS_H

#include "samples/share.h"

#define REPEATS_MIN 5 // with fewer, the quantile is not exact enough
#define REPEATS_MAX 100

// Returns the mean of an interval, times `scale`.
struct estimate repeats_mean(const u64 *values, u32 count, double scale);
// Returns (all above) / (all below), times `scale`: how long one takes. Returns NAN if there are
// none below. The error is INFINITY if fewer than REPEATS_MIN intervals have any below.
struct estimate repeats_ratio(const u64 *above, const u64 *below, u32 count, double scale);

#endif
