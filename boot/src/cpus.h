// SPDX-License-Identifier: MIT
// Finding, preparing and starting CPUs. All on the boot CPU, in this order.
#ifndef BOOT_SRC_CPUS_H
#define BOOT_SRC_CPUS_H

#include <orrery/types.h>

// Reads the device tree: CPUs and time base. Real mode.
void cpus_find(void);
// Maps a CPU's window and gives it stacks. The page allocator and the tables work.
void cpu_prepare(u32 cpu);
// This CPU takes interrupts with translation on from now.
void cpu_enter_translated(void);
// Starts all others, one after the other; each runs its idle thread on return.
void cpus_start(void);

#endif
