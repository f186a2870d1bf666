// SPDX-License-Identifier: MIT
// The engine of all CPUs: who claims counters of the model unit, and the plan by which all share it
// (pmu/share.h, pmu/engine.h). It holds the unit while there is any claim. Thread context, no spin
// lock held; calls wait for each other.
#ifndef KERNEL_PMU_ENGINE_H
#define KERNEL_PMU_ENGINE_H

#include <pmu/engine.h>

// One session. Its owner sets the fields above the line before it joins.
struct engine_session {
    struct pmu_claim *claim; // lives as long as the session
    u64 cpus;                // bit n: CPU n
    bool follows;            // needs to know of switches
    bool windows;            // and programs read its counters
    // For each of its CPUs, with sums, tasks and samples. One session samples at a time.
    struct pmu_tally tally[ORRERY_MAX_CPUS];
    // ---- the engine's
    bool running; // from engine_join to engine_leave
    u32 place;    // its index among the claims, while it runs
};

// Starts counting on all of its CPUs. Returns 0, or an error with nothing started and the reason in
// message, which ends in 0 and is cut to bytes (0: nothing is written):
// E_NOTSUP no unit counts one of its events, or not with its filter
// E_LIMIT  its events exclude each other
// E_BUSY   claims of others are in its way, or somebody has the unit alone
// E_TIMEOUT, others: from the unit
s64 engine_join(struct engine_session *session, char *message, u64 bytes);
// Stops counting for it; the tallies stay.
void engine_leave(struct engine_session *session);
// Restarts everything whose sampling has been changed. Returns 0, or an error of the unit.
s64 engine_refresh(void);
// Fixes the counters of the session's items: it keeps them all the time. Returns 0, or E_LIMIT if
// the items take turns.
s64 engine_hold(struct engine_session *session);

// Calls look where the CPU's tallies do not change, from any CPU, without waking that one. look
// only reads; it is called again if they have changed meanwhile. Returns false if they did so each
// time.
bool engine_look(u32 cpu, void (*look)(void *), void *argument);
// Ends the slices on this CPU. A session counts here. From cpus_call.
void engine_flush_here(void);
// Returns the counter of an item of a running session that holds its counters.
u32 engine_counter(const struct engine_session *session, u32 item);
// Returns whether this CPU's counters are between two plans. For interrupts that cannot wait. Any
// context.
bool engine_changing(void);
// Does the work of the engine's timer. On its CPU, soft-masked.
void engine_tick(void);
// Starts the timer again, which stops while the CPU is idle. On each CPU soon after it is idle no
// more, and now and then while it is not. Soft-masked, no lock held.
void engine_wake(void);
// Tells the engine of a switch. Soft-masked.
void engine_switched(const struct pmu_task *from, const struct pmu_task *to);

// Initialises, once, before anything else. fire: the timers' function, which must end in
// engine_tick.
struct timer;
void engine_init(void (*fire)(struct timer *timer));

#endif
