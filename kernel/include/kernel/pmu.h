// SPDX-License-Identifier: MIT
// Start-up of performance monitoring. Everything else is reached through the PmuManager object
// (kernel/pmu/manager.h) or the calls of orrery/sys.h.
#ifndef KERNEL_PMU_H
#define KERNEL_PMU_H

#include <orrery/types.h>

struct frame;

// On each CPU, the boot CPU included, before it enables interrupts: freezes the counters and sets
// up struct pmu_cpu.
void pmu_init_cpu(void);

// Boot CPU, after co_init: creates the PmuManager and PmuCounting and makes them services.
// 0 or E_NOMEM.
s64 pmu_init(void);

// In a thread, all CPUs up, interrupts on: finds out whether performance monitor interrupts arrive
// on every CPU, and says so on the console when they do not; sampling is E_NOTSUP then, unless they
// do arrive when it is started.
void pmu_start(void);

#define PMU_MMCR0_PMAO 0x80UL // an overflow has happened whose interrupt has not been taken

// Takes the sample of frame's code that pmu_catch_overflow found due.
void pmu_sample_frame(const struct frame *frame);

// First thing in the handler of a maskable interrupt that is going to be handled now, MSR[EE] still
// off and the soft mask as interrupted. A counter that overflowed when the interrupt came
// (emulators raise both at once more often than not) or since has counted the interrupted code:
// without this the sample would go to the handler, where MSR[EE] comes on again.
static inline void pmu_catch_overflow(const struct frame *frame)
{
    u64 mmcr0;
    __asm__ volatile("mfspr %0,795" : "=r"(mmcr0));
    if (__builtin_expect((mmcr0 & PMU_MMCR0_PMAO) != 0, 0))
        pmu_sample_frame(frame);
}

#endif
