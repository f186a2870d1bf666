// SPDX-License-Identifier: MIT
// Work of known length, and the meaning of time on this machine. Thread context.
#ifndef WORKLOADS_WORK_H
#define WORKLOADS_WORK_H

#include <orrery/types.h>

// Runs a loop of exactly 2 * iterations instructions, inlined, without memory access. iterations >
// 0.
static inline void work_spin(u64 iterations)
{
    __asm__ volatile("mtctr %0\n"
                     "1: nop\n"
                     "bdnz 1b"
                     :
                     : "r"(iterations)
                     : "ctr");
}

// Returns whether virtual time advances by exactly one nanosecond an instruction (QEMU's -icount
// shift=0 -smp 1). Finds out by timing a loop of known length. Only then are cycle counts exact.
bool work_time_is_exact(void);
// Returns nanoseconds; in that mode, instructions.
u64 work_ticks_to_ns(u64 ticks);
// Returns how many iterations of work_spin take ns nanoseconds, at least 1: exact in that mode,
// else by a trial run.
u64 work_spin_iterations(u64 ns);
// Returns the next pseudo-random number of a state that must not start as 0.
u64 work_random(u64 *state);

#endif
