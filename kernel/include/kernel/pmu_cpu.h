// SPDX-License-Identifier: MIT
// Sampling state of one CPU, at r13 + R13_PMU. Only its own CPU changes it, with interrupts
// hard-masked, because the performance monitor interrupt uses it at any other time.
#ifndef KERNEL_PMU_CPU_H
#define KERNEL_PMU_CPU_H

#include <orrery/r13.h>

#ifndef __ASSEMBLER__
#include <orrery/types.h>

struct sample_buffer;

struct pmu_cpu {
    // Address of the unwind map's byte for the instruction at pc, less pc / 4 (kernel/unwind.h). A
    // pc outside of the text gives any address, so the byte is read fault-safe.
    u64 map;
    u64 *tag;                     // where the model unit reads the tag; without a unit, a dummy
    struct sample_buffer *quick;  // destination in the common case: see sample_try; NULL: nowhere
    struct sample_buffer *buffer; // the POWER unit's; NULL: it does not sample
    u64 reload;                   // counter value that overflows after one period
    u64 random_mask;              // bits of the period to randomise
    u64 random;                   // state of the generator, never 0
    u32 callers;                  // frames of call chain to record, of all units
    u32 running;                  // the POWER unit's counter is programmed
    u64 tells;                    // not 0: processes are told of overflows (overflows.h)
    u64 spurious;                 // interrupts without an overflow
    u64 period;                   // cycles, without randomisation
    u64 due;                      // time base when the current period ends
    u64 behind;                   // cycles by which samples came late, not yet made up for
    u64 missed;                   // periods without a sample of their own, since the start
    u64 ticks_a_cycle;            // × 2^32
    u64 cycles_a_tick;            // × 2^16
};

_Static_assert(sizeof(struct pmu_cpu) <= R13_HOST - R13_PMU, "its place in the per-CPU window");
#endif
#endif
