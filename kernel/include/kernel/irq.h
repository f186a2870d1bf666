// SPDX-License-Identifier: MIT
// External interrupts (XICS hypercalls), IPIs and calls on other CPUs.
#ifndef KERNEL_IRQ_H
#define KERNEL_IRQ_H

#include <kernel/frame.h>
#include <orrery/types.h>

enum interrupt_kind {
    INTERRUPT_TIMER,
    INTERRUPT_DEVICE,
    INTERRUPT_IPI,
    INTERRUPT_PMI,
    INTERRUPT_REPLAYED,
    INTERRUPT_SPURIOUS,
};

typedef void (*irq_handler)(void *argument);

// Routes device interrupt irq to cpu and calls handler in interrupt context, soft-masked. E_LIMIT:
// the table is full; E_EXIST; E_IO: the firmware refuses.
int irq_register(u32 irq, u32 cpu, irq_handler handler, void *argument);

// Does the same for an interrupt that cannot wait, at most one a CPU. handler gets the interrupted
// frame, with MSR[EE] off, whether soft-masked or not, and also while others are held back. It may
// do what a PMI handler may.
typedef void (*irq_handler_at_once)(const struct frame *interrupted);
int irq_register_at_once(u32 irq, u32 cpu, irq_handler_at_once handler);

// Runs function(argument) on every CPU of the mask (bit n: CPU n), this one included, in interrupt
// context, soft-masked. Returns when all have run it. Thread context, no lock held.
void cpus_call(u64 mask, void (*function)(void *), void *argument);
// Makes cpu look at its run queue and generation soon. Any context but PMI.
void cpu_poke(u32 cpu);

#endif
