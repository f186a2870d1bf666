// SPDX-License-Identifier: MIT
// The time, for deadlines.
#ifndef KOV_CLOCK_H
#define KOV_CLOCK_H

// Returns monotonic seconds.
double clock_now(void);

#endif
