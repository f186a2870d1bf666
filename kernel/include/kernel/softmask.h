// SPDX-License-Identifier: MIT
// Soft interrupt masking (docs/design/contracts.md): a per-CPU flag, while MSR[EE] stays on.
// External and decrementer interrupts that find the flag set are left pending and replayed at
// unmask. The performance monitor interrupt ignores it.
#ifndef KERNEL_SOFTMASK_H
#define KERNEL_SOFTMASK_H

#include <kernel/percpu.h>

// Handles pending interrupts and switches threads when due. Called and returns with the flag clear
// and MSR[EE] on.
void soft_mask_replay(void);

// Masks. Returns the state before for soft_mask_restore. Thread or interrupt context; nests.
static inline u8 soft_mask(void)
{
    u8 before = percpu_r13->soft_masked;
    percpu_r13->soft_masked = 1;
    __asm__ volatile("" ::: "memory");
    return before;
}

// Restores what soft_mask returned. Replays pending interrupts if that unmasks.
static inline void soft_mask_restore(u8 before)
{
    __asm__ volatile("" ::: "memory");
    if (before != 0)
        return;
    percpu_r13->soft_masked = 0;
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(percpu_r13->work != 0, 0))
        soft_mask_replay();
}

// Hard mask: turns MSR[EE] off, which also holds back performance monitor interrupts. For the few
// places that share data with the PMI handler. Returns the MSR before.
static inline u64 hard_mask(void)
{
    u64 msr;
    __asm__ volatile("mfmsr %0" : "=r"(msr));
    __asm__ volatile("mtmsrd %0,1" ::"r"(msr & ~0x8000UL) : "memory");
    return msr;
}

static inline void hard_mask_restore(u64 msr)
{
    __asm__ volatile("mtmsrd %0,1" ::"r"(msr) : "memory");
}

// Set-up: opens this CPU for interrupts.
static inline void hard_unmask(void)
{
    __asm__ volatile("mtmsrd %0,1" ::"r"(0x8002UL) : "memory");
}

#endif
