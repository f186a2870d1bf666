// SPDX-License-Identifier: MIT
// Sampling of one event on one CPU: its buffer, and what its reader has seen;
// and all events of a CPU.
#ifndef KERNEL_PMU_SAMPLER_H
#define KERNEL_PMU_SAMPLER_H

#include <kernel/wait.h>
#include <orrery/sys.h>
#include <pmu/engine.h>
#include <pmu/sample_buffer.h>

struct sampler {
    struct sample_buffer buffer;
    u32 cpu;
    u32 event;                                 // enum sys_sampling_event
    u64 attributed, unattributed, stale, idle; // of those read
};

// Of one CPU. Changed only by who has the mutex, its reader, but for what samples do.
struct cpu_samplers {
    struct mutex mutex;
    struct sampler events[SYS_SAMPLING_EVENTS];
    struct pmu_sampled sampled[SYS_SAMPLING_EVENTS]; // the same, for the engine. The session's
};

// Of so many CPUs, all or none: false when one has a reader. Any thread.
bool samplers_try_lock_all(struct cpu_samplers samplers[], u32 cpus);
void samplers_unlock_all(struct cpu_samplers samplers[], u32 cpus);

// Both by the reader only. Moves samples into buffer as struct sys_sample: bytes written, 0 when
// there is none, E_INVAL when not even one fits.
s64 sampler_read(struct sampler *sampler, void *buffer, u64 bytes);
// Empties everything for a new session with so many callers. 0 or E_NOMEM.
s64 sampler_reset(struct sampler *sampler, u32 event, u32 callers);
// Not of use until the next reset; its memory is given back.
void sampler_free(struct sampler *sampler);

// Counts so far, but missed and overflows. Reader or not; while samples come in,
// not of one instant.
void sampler_stat(const struct sampler *sampler, struct sys_sampling_stat *stat);

#endif
