// SPDX-License-Identifier: MIT
// The logs on the fast path of calls (fast.S).
#ifndef KERNEL_LOG_FAST_H
#define KERNEL_LOG_FAST_H

#include <orrery/types.h>

// Makes the code that writes rows there fit the registers that calls go to now. Nothing is told
// there meanwhile. Returns the sides that a domain has a selector for, as bits of their events; all
// others are jumped over. Thread context, no spin lock held; one at a time.
u32 log_fast_prepare(void);

#endif
