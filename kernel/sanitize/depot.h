// SPDX-License-Identifier: MIT
// Call chains, each kept once, named by numbers: where objects and pages were allocated and freed.
#ifndef KERNEL_SANITIZE_DEPOT_H
#define KERNEL_SANITIZE_DEPOT_H

#include <orrery/types.h>

#define DEPOT_FRAMES 12

// Keeps the chain of whoever called the function that calls this. Returns its number; 0: the depot
// is full. Any context but PMI.
u32 depot_put(void);
// Prints a chain, a line a caller.
void depot_print(u32 number);

#endif
