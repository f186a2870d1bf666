// SPDX-License-Identifier: MIT
// Calls on other CPUs, for the IPI handler.
#ifndef KERNEL_PROC_CALLS_H
#define KERNEL_PROC_CALLS_H

// Runs what other CPUs asked of this one, and looks at the run queue and the generation. Interrupt
// context.
void calls_run(void);

#endif
