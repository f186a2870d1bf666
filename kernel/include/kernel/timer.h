// SPDX-License-Identifier: MIT
// Time, and per-CPU timers on the decrementer. Time base: 512 MHz (read from the device tree).
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include <orrery/types.h>

extern u64 timebase_hz;

static inline u64 timebase(void)
{
    u64 ticks;
    __asm__ volatile("mftb %0" : "=r"(ticks));
    return ticks;
}

static inline u64 microseconds_to_ticks(u64 microseconds)
{
    return microseconds * (timebase_hz / 1000000);
}

struct timer {
    struct timer *left, *right, *parent; // timer_heap.c
    u64 deadline;                        // time base; 0 when not armed
    void (*fire)(struct timer *timer);
    u32 cpu;
    u32 rank; // timer_heap.c
};

// Arms the timer on this CPU: fire runs once there in interrupt context, soft-masked, at or after
// deadline. Re-arms an armed timer. Thread or interrupt context.
void timer_start(struct timer *timer, u64 deadline);
// Disarms it, if armed. Only on the CPU that armed it.
void timer_cancel(struct timer *timer);

#endif
