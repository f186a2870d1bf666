// SPDX-License-Identifier: MIT
// The logs on the fast path of calls (fast.S).
#ifndef KERNEL_LOG_FAST_H
#define KERNEL_LOG_FAST_H

#include <orrery/types.h>

// Makes the code that writes rows there fit the registers that calls go to now. Calls are not
// told of there yet. Thread context, no spin lock held; one at a time.
void log_fast_prepare(void);

#endif
