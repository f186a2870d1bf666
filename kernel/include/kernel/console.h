// SPDX-License-Identifier: MIT
// Console output: newlib's printf formats (no floating point), one call is one unbroken piece of
// output of at most 512 bytes, longer ones are cut with a mark.
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include <orrery/types.h>
#include <stdarg.h>

// Any context but PMI.
void kprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void kvprintf(const char *format, va_list arguments);
void console_write(const char *bytes, u64 count);

// Finds the console in the device tree; called once, first of all.
void console_init(void);
// Consoles beside the system's, with which it does nothing: hypercall number and interrupt of the
// n-th, from 0, in the order of firmware's list. False: there is none. Any context, after
// console_init.
bool console_spare(u32 n, u32 *unit, u32 *irq);
// From now on output takes no lock: a panic, when only this CPU runs.
void console_take_over(void);

#endif
