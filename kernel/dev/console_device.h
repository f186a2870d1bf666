// SPDX-License-Identifier: MIT
// What the parts of the console share: output, input, and the ring of what was printed last.
#ifndef KERNEL_DEV_CONSOLE_DEVICE_H
#define KERNEL_DEV_CONSOLE_DEVICE_H

#include <orrery/types.h>

// The console's hypercall number and interrupt, as console.c found them.
struct console_device {
    u32 unit;
    u32 irq; // 0: it has none
};
extern struct console_device console_device;

// Adds to the ring, for those who attach to the console from elsewhere. One writer at a time: the
// console's lock is held, or the machine panics.
void console_ring_put(const char *bytes, u64 count);
// Returns how many bytes were put so far. Any context.
u64 console_ring_end(void);

// Tells those who wait for output, soon, that there is some. After the bytes are in the ring, no
// lock of the console held; thread or interrupt context.
void console_watch_printed(void);

#endif
