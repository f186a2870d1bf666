// SPDX-License-Identifier: MIT
// How many events lie between two samples, as S000 chose them.
#ifndef KOV_DEFAULT_PERIOD_H
#define KOV_DEFAULT_PERIOD_H

#include <orrery/types.h>

// Returns the threshold of an event whose rate is not known. Its name has no mode.
u64 threshold_default(const char *event);

// Returns how many low bits of the period are made random: as many as are wanted, or as fit. 2^bits
// stays below the period, and the longest period that can come out fits a counter.
u32 threshold_randomise(u64 period, u32 wanted);

#endif
