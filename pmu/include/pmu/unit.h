// SPDX-License-Identifier: MIT
// A unit: one source of overflow interrupts on every CPU. The POWER PMU is one (driver/); others can
// stand beside it. A unit's interrupt handler calls sample_take (src/sample.h) for each overflow.
#ifndef PMU_UNIT_H
#define PMU_UNIT_H

#include <orrery/types.h>

struct pmu_unit {
    const char *name;
    // Can it sample this event (enum sys_sampling_event)? Any context.
    bool (*has_event)(u32 event);
    // The next three act on the calling CPU, in interrupt or thread context, soft-masked.
    // Freezes the counters; called once before anything else.
    void (*reset)(void);
    // 0 when this CPU takes the unit's interrupts, else E_NOTSUP. Waits at most 200 ms. The unit must
    // be stopped.
    s64 (*probe)(void);
    // Its counters have one user at a time: 0, or E_BUSY. Before probe and start, thread context; release after stop.
    s64 (*acquire)(void);
    void (*release)(void);
    // Starts to sample event every period events (SYS_PERIOD_MIN … SYS_PERIOD_MAX), the bits of
    // random_mask randomised around it. pmu_cpu's buffer and callers are set.
    void (*start)(u32 event, u64 period, u64 random_mask);
    // No sample is taken after it returns, until the next start.
    void (*stop)(void);
};

extern const struct pmu_unit pmu_power_unit, pmu_model_unit;

#endif
