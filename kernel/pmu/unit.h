// SPDX-License-Identifier: MIT
// A unit: one source of overflows on every CPU. The POWER PMU is one (driver/power.c), the model
// unit another (driver/model_interrupt.c). A unit's interrupt handler calls sample_take
// (src/sample.h) for each overflow.
#ifndef KERNEL_PMU_UNIT_H
#define KERNEL_PMU_UNIT_H

#include <orrery/types.h>

struct sample_buffer;

// One event that a unit is to sample on the calling CPU. All has been checked (orrery/sys.h).
struct pmu_source {
    u32 event;   // enum sys_sampling_event
    u32 filter;  // MODEL_KERNEL, MODEL_USER or both
    u32 counter; // by the numbering of pmu/events.h
    u32 randomise;
    u64 period;
    bool precise;                 // the unit writes records in place of interrupts
    struct sample_buffer *buffer; // where the interrupt's samples go; theirs alone
};

struct pmu_unit {
    const char *name;
    // Can it sample this event (enum sys_sampling_event)? Any context.
    bool (*has_event)(u32 event);
    // The next two act on the calling CPU, in interrupt or thread context, soft-masked.
    // Freezes the counters; called once before anything else.
    void (*reset)(void);
    // 0 when this CPU takes the unit's interrupts, else E_NOTSUP. Waits at most 200 ms. The unit
    // must be stopped.
    s64 (*probe)(void);
    // Its counters have one user at a time: 0, or E_BUSY. Before probe and start,
    // thread context; release after stop.
    s64 (*acquire)(void);
    void (*release)(void);
    // The next three act on the calling CPU, hard-masked, in interrupt context.
    // Starts to sample these, 1 … SYS_SAMPLING_EVENTS, on counters of their own. 0, or an error
    // (E_TIMEOUT: the unit does not follow); stop is called then, too.
    s64 (*start)(const struct pmu_source *sources, u32 count);
    // Another period for one that start was given. 0, or an error, and it may have stopped. If its
    // count (see counted) begins anew, what it has come to is added to *counted.
    s64 (*change)(const struct pmu_source *source, u64 *counted);
    // No sample is taken after it returns, until the next start.
    void (*stop)(void);
    // Where it counts a counter's overflows since start; or else the periods that passed without an
    // interrupt of their own. Any context; to be read by one load.
    const u64 *(*counted)(u32 cpu, u32 counter);
    bool counts_overflows;
};

extern const struct pmu_unit pmu_power_unit, pmu_model_unit;

#endif
