// SPDX-License-Identifier: MIT
// The program's own profile: how often overflows of a counter hit each place of its code.
#ifndef FHOUR_HOT_H
#define FHOUR_HOT_H

#include <orrery/types.h>

// Has this process told of an overflow every `period` events from now on: instructions in user mode
// where there is the model unit, else cycles. Returns false, and says why, if it cannot be.
bool hot_start(u64 period);
// Ends it, and prints the hottest functions and what became of all overflows.
void hot_print(void);

#endif
