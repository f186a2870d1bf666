// SPDX-License-Identifier: MIT
// The engine of all CPUs: who claims counters of the model unit, and the plan by which all of them
// share it (pmu/share.h, pmu/engine.h). It has the unit while anybody claims anything.
// Thread context, no spin lock held; calls wait for each other.
#ifndef KERNEL_PMU_ENGINE_H
#define KERNEL_PMU_ENGINE_H

#include <pmu/engine.h>

// One session. Its owner fills in what stands above the line before it joins.
struct engine_session {
    struct pmu_claim *claim; // lives as long as it
    u64 cpus;                // bit n: CPU n
    bool follows;            // the scheduler is to tell of switches
    bool windows;            // and programs read counters
    // Of its CPUs, with sums, tasks, and what is sampled. One session samples at a time.
    struct pmu_tally tally[ORRERY_MAX_CPUS];
    // ---- the engine's
    u32 place; // among the claims, while it runs
};

// Counts on all of its CPUs from now on, or on none: 0, or an error with the reason in message,
// which ends in 0 and is cut to bytes (0: nothing is written):
// E_NOTSUP no unit counts one of its events, or not with its filter
// E_LIMIT  its events exclude each other
// E_BUSY   those that others claim are in their way, or somebody has the unit for himself
// E_TIMEOUT, others: of the unit
s64 engine_join(struct engine_session *session, char *message, u64 bytes);
// Nothing is counted for it any more; the tallies stay as they are.
void engine_leave(struct engine_session *session);
// What is sampled otherwise than before begins anew. 0, or an error of the unit.
s64 engine_refresh(void);
// From now on it keeps the counters that count its items, all the time. E_LIMIT: they take turns.
s64 engine_hold(struct engine_session *session);

// Ends the slices of a CPU that the session counts on, there; from cpus_call.
void engine_settle_here(void);
// The counter of an item of a session that runs and holds its counters.
u32 engine_counter(const struct engine_session *session, u32 item);
// Are this CPU's counters between two plans? Any context; interrupts that cannot wait ask.
bool engine_changing(void);
// What the engine's timer does. On its CPU, soft-masked.
void engine_tick(void);
// Beside everything else, for who is stopped by it. Soft-masked.
void engine_switched(const struct pmu_task *from, const struct pmu_task *to);

// Once, before anything else; fire: what the timers do, which is to end in engine_tick.
struct timer;
void engine_init(void (*fire)(struct timer *timer));

#endif
