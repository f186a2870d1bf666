// SPDX-License-Identifier: MIT
// Sampling of one event on one CPU: its buffer and its reader's state; and all events of a CPU.
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

// The samplers of one CPU. Only the holder of the mutex, their reader, changes them; samples change
// the buffers.
struct cpu_samplers {
    struct mutex mutex;
    struct sampler events[SYS_SAMPLING_EVENTS];
    struct pmu_sampled sampled[SYS_SAMPLING_EVENTS]; // the same, for the engine. The session's
};

// Takes the mutexes of these CPUs, all or none. Returns false if one has a reader. Any thread.
bool samplers_try_lock_all(struct cpu_samplers samplers[], u32 cpus);
void samplers_unlock_all(struct cpu_samplers samplers[], u32 cpus);

// Only the reader calls the next two.
// Moves samples into buffer as struct sys_sample. Returns bytes written, 0 if there are none, or
// E_INVAL if not even one fits.
s64 sampler_read(struct sampler *sampler, void *buffer, u64 bytes);
// Empties everything for a new session with this many callers. Returns 0 or E_NOMEM.
s64 sampler_reset(struct sampler *sampler, u32 event, u32 callers);
// Frees its memory; unusable until the next reset.
void sampler_free(struct sampler *sampler);

// Gets the counts so far, without missed and overflows. While samples come in, the counts are not
// of one instant. Any caller.
void sampler_stat(const struct sampler *sampler, struct sys_sampling_stat *stat);

#endif
