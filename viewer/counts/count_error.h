// SPDX-License-Identifier: MIT
// Computes how far off the count of an interval may be. The machine tells that for whole sessions
// only.
#ifndef KOV_COUNT_ERROR_H
#define KOV_COUNT_ERROR_H

#include "counts/counts.h"

// Returns half the width of the 99 % interval around between->count, which one CPU has counted from
// one reading to the next. Returns COUNT_ERROR_UNKNOWN if the interval has fewer than two slices,
// or if the machine's own errors are not known.
u64 count_error_between(const struct count *before, const struct count *after,
                        const struct count *between);

#endif
