// SPDX-License-Identifier: MIT
// What is typed on the console.
#ifndef KERNEL_DEV_CONSOLE_INPUT_H
#define KERNEL_DEV_CONSOLE_INPUT_H

#include <orrery/types.h>

struct process;

// The console's hypercall number and interrupt, as console.c found them.
struct console_device {
    u32 unit;
    u32 irq; // 0: it has none
};
extern struct console_device console_device;

#endif
