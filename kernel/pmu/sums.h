// SPDX-License-Identifier: MIT
// Memory for a session's counts on its CPUs, and access to them. Thread context, no spin lock held.
// The owner of the session serialises all calls.
#ifndef KERNEL_PMU_SUMS_H
#define KERNEL_PMU_SUMS_H

#include <orrery/pmu.h>

#include "engine.h"

// Allocates sums of the claim's items on each of its CPUs, before the session joins. Also of its
// tasks, if flags ask for it (SYS_PMU_BY_…). Returns 0, or E_NOMEM with no sums.
s64 sums_make(struct engine_session *session, u32 flags);
// Frees the sums of a session that does not run: its tallies are then empty.
void sums_free(struct engine_session *session);

// Calls look. If the session runs, calls it on the CPU, which then does not count meanwhile.
void sums_read(const struct engine_session *session, u32 cpu, void (*look)(void *), void *argument);
// Does the same for a look that only reads, and may be called again. The CPU goes on meanwhile, and
// is not woken. look reads what changes with __atomic_load_n.
void sums_look(const struct engine_session *session, u32 cpu, void (*look)(void *), void *argument);
#endif
