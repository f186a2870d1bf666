// SPDX-License-Identifier: MIT
// Start-up of performance monitoring. For everything else use the PmuManager object
// (kernel/pmu/manager.h) or the calls of orrery/sys.h.
#ifndef KERNEL_PMU_H
#define KERNEL_PMU_H

#include <orrery/types.h>

struct frame;

// Freezes the counters and sets up struct pmu_cpu. On each CPU, the boot CPU included, before it
// enables interrupts.
void pmu_init_cpu(void);

// Creates the PmuManager and PmuCounting and makes them services. Boot CPU, after co_init. Returns
// 0 or E_NOMEM.
s64 pmu_init(void);

// Finds out whether performance monitor interrupts arrive on every CPU, and reports on the console
// if they do not. Sampling is then E_NOTSUP, unless they do arrive when it starts. In a thread, all
// CPUs up, interrupts on.
void pmu_start(void);

#define PMU_MMCR0_PMAO 0x80UL // an overflow's interrupt has not been taken yet

// Takes the due sample, found by pmu_catch_overflow, of frame's code.
void pmu_sample_frame(const struct frame *frame);

// Takes the interrupted code's sample if one is due. First step of a maskable interrupt's handler,
// with MSR[EE] still off and the soft mask as interrupted. A counter that overflowed with the
// interrupt (emulators mostly raise both at once: docs/design/platform.md) or since has counted the
// interrupted code. Without this the sample would name the handler, where MSR[EE] comes on again.
static inline void pmu_catch_overflow(const struct frame *frame)
{
    u64 mmcr0;
    __asm__ volatile("mfspr %0,795" : "=r"(mmcr0));
    if (__builtin_expect((mmcr0 & PMU_MMCR0_PMAO) != 0, 0))
        pmu_sample_frame(frame);
}

#endif
