// SPDX-License-Identifier: MIT
// Counting by threads, inside of the library.
#ifndef USERLIB_PMU_H
#define USERLIB_PMU_H

struct thread;

// The thread that has run here last leaves this CPU,
// or ends: what it has counted is its own from now on. Disabled.
void pmu_thread_leaves(void);

#endif
