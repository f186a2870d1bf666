// SPDX-License-Identifier: MIT
// Computes how far off a scaled count may be. The machine tells the sums that this follows from.
#ifndef KOV_COUNT_ERROR_H
#define KOV_COUNT_ERROR_H

#include "counts/counts.h"

// Returns half the width of the 99 % interval around count->count, which one CPU has counted, from
// its sums and the scaled count. 0: it was counted all the time. COUNT_ERROR_UNKNOWN: it was
// counted in part and in fewer than two slices, or its times contradict each other.
u64 count_error(const struct count *count);

#endif
