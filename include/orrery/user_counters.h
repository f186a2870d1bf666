// SPDX-License-Identifier: MIT
// What the kernel and a process share so that its threads read counters by themselves (user/pmu.h),
// at r13 + R13_PMU of each dispatcher's window, while a session with SYS_PMU_READABLE counts. The
// kernel writes it when the dispatcher is given its CPU and when it loses it, and believes nothing
// that it finds there: the process may write what it likes, and misleads nobody but itself.
#ifndef ORRERY_USER_COUNTERS_H
#define ORRERY_USER_COUNTERS_H

#include <orrery/pmu_model.h>
#include <orrery/r13.h>

// Counter n has counted value - away[n] while this dispatcher ran, plus something that is the same
// for the whole session. Who reads both finds turns as it was before, or has to read again: others
// have run in between.
struct user_counters {
    u64 turns;                // how often it was given its CPU while tasks were counted
    u64 away[MODEL_COUNTERS]; // what was counted while it did not run
    u64 left[MODEL_COUNTERS]; // values when it last lost its CPU
};

_Static_assert(sizeof(struct user_counters) <= R13_HOST - R13_PMU, "its place in the window");

#endif
