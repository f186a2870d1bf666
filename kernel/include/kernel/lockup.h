// SPDX-License-Identifier: MIT
// Lockups: a CPU that holds a spin lock, spins or handles an interrupt for ever. Interrupts are
// soft-masked then, but the decrementer still comes, and is left pending (softmask.c). It comes
// again each second while that lasts, so that the CPU counts its own ticks where it hangs: there is
// no cost elsewhere. A tick is proof that the CPU itself has run, so a host that stops CPUs or the
// whole machine makes no lockup: each stop is one tick at most.
#ifndef KERNEL_LOCKUP_H
#define KERNEL_LOCKUP_H

#include <kernel/frame.h>
#include <kernel/percpu.h>
#include <orrery/types.h>

// What is known of a CPU that is masked.
struct lockup_ticks {
    u64 handled; // timer interrupts that it has handled; one more, and it was not masked meanwhile
    u64 last;    // time base of the last tick that counts
    u32 count;   // ticks that count
};

// Counts a tick at `now` of a CPU that has handled that many timer interrupts. Ticks count that
// come a second or more after the last one. Returns how many there are.
static inline u32 lockup_count(struct lockup_ticks *ticks, u64 now, u64 handled, u64 second)
{
    if (ticks->last == 0 || ticks->handled != handled) {
        *ticks = (struct lockup_ticks){.handled = handled, .last = now};
    } else if (now - ticks->last >= second) {
        ticks->last = now;
        ticks->count++;
    }
    return ticks->count;
}

// Handles a decrementer interrupt that is left pending. Prints a report once there were as many
// ticks as boot_options.lockup says, unless the CPU waits for a lock, whose holder then reports.
// Decrementer interrupt, MSR[EE] off.
void lockup_tick(const struct frame *frame);
// Tells that this CPU waits for the host, which may last. Any context.
static inline void lockup_host_waits(void)
{
    percpu()->host_waits++;
}
// Returns how many lockups were reported.
u32 lockup_reports(void);

#endif
