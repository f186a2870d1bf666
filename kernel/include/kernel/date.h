// SPDX-License-Identifier: MIT
// The date.
#ifndef KERNEL_DATE_H
#define KERNEL_DATE_H

#include <orrery/types.h>

// Asks the firmware's clock. Set-up, once, before trace_init.
void date_init(void);
// Returns the time when the time base was 0, in nanoseconds since 1970 (UTC), or 0 if there is no
// clock. Any context.
u64 date_of_boot(void);

#endif
