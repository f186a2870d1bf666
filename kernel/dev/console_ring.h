// SPDX-License-Identifier: MIT
// What the console printed last, for those who attach to it from elsewhere.
#ifndef KERNEL_CONSOLE_RING_H
#define KERNEL_CONSOLE_RING_H

#include <orrery/types.h>

// One writer at a time: the console's lock is held, or the machine panics.
void console_ring_put(const char *bytes, u64 count);

#endif
