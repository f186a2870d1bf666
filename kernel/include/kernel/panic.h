// SPDX-License-Identifier: MIT
// Kernel assertions. A panic stops the other CPUs, prints message, registers, symbolised stack and
// the last trace events, and powers off with a failing exit status.
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

#include <orrery/types.h>

struct frame;

// Any context, PMI included.
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void panic_with_frame(const struct frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Handles a system reset, which QEMU's `nmi` sends to all CPUs at once, whatever they mask. It
// shows what a hanging machine does: the first CPU prints where each CPU and thread is, and powers
// off as a panic does. frame: what the reset interrupted. In its exception, MSR[EE] off.
_Noreturn void panic_reset(const struct frame *frame);

// Stops this CPU, which another has interrupted, if one panics: then it does not return. Interrupt
// context.
void panic_stop_here(void);

#define KASSERT(condition)                                                                         \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            panic("assertion failed: %s (%s:%d)", #condition, __FILE__, __LINE__);                 \
    } while (0)

// Powers off. status 0: QEMU exits with 0; otherwise it exits with a failure (needs
// `-action panic=exit-failure`, see scripts/qemu).
_Noreturn void power_off(int status);

#endif
