// SPDX-License-Identifier: MIT
// How far off the count of an interval may be, which the machine tells for whole sessions only.
#ifndef KOV_COUNT_ERROR_H
#define KOV_COUNT_ERROR_H

#include "counts/counts.h"

// Half width of the 99 % interval around between->count, which is what one CPU has counted from one
// reading to the next; COUNT_ERROR_UNKNOWN when the interval has fewer than two slices, or the
// machine's own errors are not known.
u64 count_error_between(const struct count *before, const struct count *after,
                        const struct count *between);

#endif
