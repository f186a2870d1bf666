// SPDX-License-Identifier: MIT
// Memory through which a process's threads read counters themselves (user/pmu.h), at r13 + R13_PMU
// of each dispatcher's window, while a session with SYS_PMU_READABLE counts. The kernel writes it
// when the dispatcher gets and loses its CPU. It does not trust what it finds there: a process that
// writes into it misleads only itself.
#ifndef ORRERY_USER_COUNTERS_H
#define ORRERY_USER_COUNTERS_H

#include <orrery/pmu_model.h>
#include <orrery/r13.h>

// While this dispatcher ran, counter n has counted value - away[n], plus a constant of the session.
// If turns has changed between the two reads, others have run and the reader must repeat.
struct user_counters {
    u64 turns;                // how often it got its CPU while tasks were counted
    u64 away[MODEL_COUNTERS]; // counted while it did not run
    u64 left[MODEL_COUNTERS]; // values when it last lost its CPU
};

_Static_assert(sizeof(struct user_counters) <= R13_HOST - R13_PMU, "its place in the window");

#endif
