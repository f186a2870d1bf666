// SPDX-License-Identifier: MIT
// Estimates from repeated intervals: what was measured in each of `count` intervals of equal length
// is taken as a sample. The error is that of the mean, by the distribution of Student.
#ifndef KOV_TRACE_REPEATS_H
#define KOV_TRACE_REPEATS_H

#include "samples/share.h"

#define REPEATS_MIN 5 // below, the quantile is not told well enough
#define REPEATS_MAX 100

// Of an interval, times `scale`.
struct estimate repeats_mean(const u64 *values, u32 count, double scale);
// All above / all below, times `scale`: how long one takes. NAN: there are none below. The error is
// INFINITY where they lie in fewer than REPEATS_MIN intervals.
struct estimate repeats_ratio(const u64 *above, const u64 *below, u32 count, double scale);

#endif
