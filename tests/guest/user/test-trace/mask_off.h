// SPDX-License-Identifier: MIT
// The kernel's mask while other CPUs are at the points that it switches.
#ifndef MASK_OFF_H
#define MASK_OFF_H

#include <orrery/types.h>

// Switches a group of the kernel's events on and off while threads on the other
// CPUs cause them. Needs RIGHT_MONITOR; changes the kernel's mask and mode. events: those logged.
// Returns how often a CPU logged something after the mask was off.
u64 mask_off_violations(u32 rounds, u64 *events);

#endif
