// SPDX-License-Identifier: MIT
// How many events lie between two samples when the user does not say.
#ifndef KOV_DEFAULT_PERIOD_H
#define KOV_DEFAULT_PERIOD_H

#include <orrery/types.h>

// By the event's name, without a mode.
u64 threshold_default(const char *event);

// As many low bits of the period as are wanted random, or as fit: 2^bits below the period, and the
// longest one that then comes out within what a counter holds.
u32 threshold_randomise(u64 period, u32 wanted);

#endif
