// SPDX-License-Identifier: MIT
// External interrupts, for exception handling and set-up.
#ifndef KERNEL_DEV_INTERRUPTS_H
#define KERNEL_DEV_INTERRUPTS_H

#include <kernel/frame.h>
#include <orrery/types.h>

// Accepts the most urgent interrupt of this CPU. Returns its XIRR, or 0 if there is none. EE off.
u32 interrupt_accept(void);
// Handles and ends an accepted interrupt if it is one that cannot wait; returns false if not. EE
// off.
bool interrupt_at_once(u32 xirr, const struct frame *interrupted);
// Handles an accepted interrupt and ends it. Interrupt context, soft-masked.
void interrupt_dispatch(u32 xirr);
// Interrupts cpu; several may arrive as one. Any context but PMI.
void interrupt_send_ipi(u32 cpu);

#endif
