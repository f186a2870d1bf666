// SPDX-License-Identifier: MIT
// A sampling session's part on its CPUs: its claims on both units, and a sampler for each event and
// CPU.
#ifndef KERNEL_PMU_SESSION_H
#define KERNEL_PMU_SESSION_H

#include <pmu/sampling_request.h>

#include "engine.h"
#include "sampler.h"

struct sampling_session {
    struct sampling_plan plan;
    u64 cpus; // sampled CPUs, bit n: CPU n
    struct cpu_samplers samplers[ORRERY_MAX_CPUS];
    struct engine_session claimed; // of the model unit; with sums if it takes turns
    // Held while counters, or their places, change or are read; the session's other functions take
    // it.
    struct mutex counting;
};

// All in thread context. One caller at a time, except for session_stat: any number may be in it,
// also beside a caller of the others.

void session_init(struct sampling_session *session); // once, before all else
// Sets the events to sample; the samplers stay as they are. With `counting` held.
void session_plan(struct sampling_session *session, const struct sampling_plan *plan);
// Makes empty buffers for the planned events on all CPUs, also those not sampled. Makes rings for
// precise records. Returns 0, E_NOMEM or E_TIMEOUT. By the reader of all samplers, with `counting`
// held.
s64 session_reset(struct sampling_session *session);
// Starts sampling on all of its CPUs. Returns 0, or an error of engine_join with nothing started.
s64 session_begin(struct sampling_session *session, char *message, u64 bytes);
// Sets another period for an event. Returns 0 or an error.
s64 session_change(struct sampling_session *session, u32 index, u64 period, u32 randomise);
// Stops sampling, waits for readers, and makes samples of the remaining precise records.
void session_end(struct sampling_session *session);

// Makes samples of precise records. By the reader of the CPU's samplers.
void session_drain(struct sampling_session *session, u32 cpu);
// Checks that the model unit's interrupts arrive on all CPUs. Returns 0, E_NOTSUP, or an error of
// engine_join.
s64 session_probe(char *message, u64 bytes);
// Gets the counts of an event on a CPU. With `counting` held.
void session_stat(struct sampling_session *session, u32 cpu, u32 index,
                  struct sys_sampling_stat *stat);

#endif
