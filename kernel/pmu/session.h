// SPDX-License-Identifier: MIT
// What a sampling session has on its CPUs: the units at work, a sampler for each event and CPU.
#ifndef KERNEL_PMU_SESSION_H
#define KERNEL_PMU_SESSION_H

#include <pmu/sampling_request.h>

#include "sampler.h"
#include "unit.h"

#define SESSION_UNITS 2

struct session {
    struct sampling_plan plan;
    u64 cpus;                                    // that are sampled, bit n: CPU n
    const struct pmu_unit *units[SESSION_UNITS]; // in use; NULL: no more
    const struct pmu_unit *unit_of[SYS_SAMPLING_EVENTS];
    struct cpu_samplers samplers[ORRERY_MAX_CPUS];
    struct mutex counting; // while what is counted where changes, or is looked at
};

// All in thread context, one caller at a time; session_stat any number, beside the others.

void session_init(struct session *session); // once, before all else
// Sets out what is to be sampled; the samplers stay as they are.
void session_plan(struct session *session, const struct sampling_plan *plan);
// Empty buffers for the planned events on all CPUs, those too that are not sampled, and rings for
// precise records. By the reader of all samplers. 0 or E_NOMEM, E_TIMEOUT.
s64 session_reset(struct session *session);
// All units begin on all of its CPUs: 0, or an error, and nothing runs.
s64 session_begin(struct session *session);
// Another period for an event. 0 or an error.
s64 session_change(struct session *session, u32 index, u64 period, u32 randomise);
// All stop; what precise records there still are becomes samples: waits for readers.
void session_end(struct session *session);

// Takes in precise records. By the reader of the CPU's samplers.
void session_drain(struct session *session, u32 cpu);
// Counts of an event on a CPU.
void session_stat(struct session *session, u32 cpu, u32 index, struct sys_sampling_stat *stat);

#endif
