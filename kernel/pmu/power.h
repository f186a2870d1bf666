// SPDX-License-Identifier: MIT
// The POWER PMU as a source of samples: cycles of the CPU itself. Its interrupt handler calls
// sample_take (sample.h) for each overflow.
#ifndef KERNEL_PMU_POWER_H
#define KERNEL_PMU_POWER_H

#include <orrery/types.h>

struct sample_buffer;

struct power_sampling {
    u64 period;
    u32 randomise;
    struct sample_buffer *buffer; // destination of these samples, and of no others
};

// All act on the calling CPU. The first two in interrupt or thread context, soft-masked.

// Freezes the counters. Called once before anything else.
void power_reset(void);
// Returns 0 if this CPU takes the unit's interrupts, else E_NOTSUP. Waits at most 30 s. The unit
// must be stopped.
s64 power_probe(void);
// The next four: hard-masked, in interrupt context. Arguments have been checked (orrery/sys.h).
void power_start(const struct power_sampling *sampling);
void power_change(const struct power_sampling *sampling); // sets another period
// Stops sampling: no sample is taken after it returns, until the next start.
void power_stop(void);
// Chooses between the handler's two ways, after pmu_cpu's callers or tells have changed.
void power_choose_way(void);
// Returns the address of a CPU's count of periods without an interrupt of their own, since the
// start. Read it by one load. Any context.
const u64 *power_missed(u32 cpu);

#endif
