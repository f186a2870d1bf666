// SPDX-License-Identifier: MIT
// The unit's interrupt: a byte typed at a console. Each CPU has one, besides the system's console.
#ifndef MODEL_INTERRUPT_H
#define MODEL_INTERRUPT_H

#include "unit.h"

// Sets the name of the consoles' Unix sockets: that of CPU n is NAME.n. With @ in front they are
// abstract. They are connected to when first needed. The caller keeps the text.
void interrupt_consoles(const char *name);

// Returns whether a CPU has a console. This and all that follow run on the CPU's own thread.
bool interrupt_possible(struct vcpu *cpu);

// Raises the interrupt and waits until QEMU has taken it. Does nothing if one is on its way or
// being handled.
void interrupt_raise(struct vcpu *cpu);

// Notes that the guest has handled the last one.
void interrupt_taken(struct vcpu *cpu);

#endif
