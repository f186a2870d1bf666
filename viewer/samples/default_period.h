// SPDX-License-Identifier: MIT
// Chooses how many events lie between two samples when the user does not say.
#ifndef KOV_DEFAULT_PERIOD_H
#define KOV_DEFAULT_PERIOD_H

#include <orrery/types.h>

// Returns the threshold of an event. Its name has no mode.
u64 threshold_default(const char *event);

// Returns how many low bits of the period are made random: as many as are wanted, or as fit. 2^bits
// stays below the period, and the longest period that can come out fits a counter.
u32 threshold_randomise(u64 period, u32 wanted);

#endif
