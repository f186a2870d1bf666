// SPDX-License-Identifier: MIT
// What a sampling session has on its CPUs: what it claims of both units, a sampler for each event
// and CPU.
#ifndef KERNEL_PMU_SESSION_H
#define KERNEL_PMU_SESSION_H

#include <pmu/sampling_request.h>

#include "engine.h"
#include "sampler.h"

struct session {
    struct sampling_plan plan;
    u64 cpus; // that are sampled, bit n: CPU n
    struct cpu_samplers samplers[ORRERY_MAX_CPUS];
    struct engine_session claimed; // of the model unit; with sums if it takes turns
    // While what is counted, or where, changes or is looked at; its other functions take it.
    struct mutex counting;
    bool running; // under it
};

// All in thread context, one caller at a time; session_stat any number, beside the others.

void session_init(struct session *session); // once, before all else
// Sets out what is to be sampled; the samplers stay as they are. With `counting` held.
void session_plan(struct session *session, const struct sampling_plan *plan);
// Empty buffers for the planned events on all CPUs, those too that are not sampled, and rings for
// precise records. By the reader of all samplers, with `counting` held. 0 or E_NOMEM, E_TIMEOUT.
s64 session_reset(struct session *session);
// Sampling begins on all of its CPUs: 0, or an error as engine_join, and nothing runs.
s64 session_begin(struct session *session, char *message, u64 bytes);
// Another period for an event. 0 or an error.
s64 session_change(struct session *session, u32 index, u64 period, u32 randomise);
// All stop; what precise records there still are becomes samples: waits for readers.
void session_end(struct session *session);

// Takes in precise records. By the reader of the CPU's samplers.
void session_drain(struct session *session, u32 cpu);
// Do the model unit's interrupts arrive on all CPUs? 0, E_NOTSUP, or as engine_join.
s64 session_probe(char *message, u64 bytes);
// Counts of an event on a CPU. With `counting` held.
void session_stat(struct session *session, u32 cpu, u32 index, struct sys_sampling_stat *stat);

#endif
