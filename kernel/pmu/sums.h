// SPDX-License-Identifier: MIT
// What a session counts on its CPUs: room for it, and how to look at it. Thread context, no spin
// lock held; who owns the session serialises all calls.
#ifndef KERNEL_PMU_SUMS_H
#define KERNEL_PMU_SUMS_H

#include <orrery/pmu.h>

#include "engine.h"

// Sums of the claim's items on each of its CPUs, and if flags ask for it (SYS_PMU_BY_…), of its
// tasks. Before it joins: 0, or E_NOMEM and there are none.
s64 sums_make(struct engine_session *session, u32 flags);
// Of one that does not run: tallies are empty after it.
void sums_free(struct engine_session *session);

// Calls look: on the CPU while it counts, so that it does not count meanwhile.
void sums_look(bool running, u32 cpu, void (*look)(void *), void *argument);
#endif
