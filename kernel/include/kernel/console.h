// SPDX-License-Identifier: MIT
// Console output in newlib's printf formats (no floating point). One call prints one unbroken piece
// of at most 512 bytes; longer ones are cut with a mark.
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include <orrery/types.h>
#include <stdarg.h>

// Any context but PMI.
void kprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void kvprintf(const char *format, va_list arguments);
void console_write(const char *bytes, u64 count);

// Finds the console in the device tree. Called once, first of all.
void console_init(void);
// Finds the n-th console beside the system's, from 0, in the order of firmware's list. Stores its
// hypercall number and interrupt. Returns false if there is none. The kernel does nothing with it.
// Any context, after console_init.
bool console_spare(u32 n, u32 *unit, u32 *irq);
// Between the two, this CPU's output takes no lock if it may be held for good, by whoever hangs.
// Such output may mix with that of others, and those who attach to the console do not see it.
// Interrupt context.
void console_report_begin(void);
void console_report_end(void);
// Makes output take no lock from now on: for a panic, when only this CPU runs.
void console_take_over(void);

#endif
