// SPDX-License-Identifier: MIT
// The unit's interrupt: a byte typed at the console that the machine has for each
// CPU besides the system's.
#ifndef MODEL_INTERRUPT_H
#define MODEL_INTERRUPT_H

#include "unit.h"

// The consoles' Unix sockets: that of CPU n is called NAME.n. With @ in front they are abstract
// ones. Connected to when first needed. The text stays the caller's.
void interrupt_consoles(const char *name);

// Whether a CPU has a console. On the CPU's own thread, as all that follow.
bool interrupt_possible(struct vcpu *cpu);

// Raises the interrupt unless one is on its way or being handled,
// and waits until QEMU has taken it.
void interrupt_raise(struct vcpu *cpu);

// The guest has handled the last one.
void interrupt_taken(struct vcpu *cpu);

#endif
