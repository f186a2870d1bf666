// SPDX-License-Identifier: MIT
// Samples in memory, and what the machine counted about them.
#ifndef KOV_SAMPLES_H
#define KOV_SAMPLES_H

#include "samples/sample_sum.h"
#include "samples/sampled_events.h"

#include <orrery/sys.h>

#define SAMPLE_MAX_CALLERS 16
#define SAMPLES_MAX (1u << 24) // in memory; later ones are counted, but their places are not kept
#define SAMPLE_MAX_CPUS 1024   // any more in a message is nonsense

// flags: SYS_SAMPLE_… of orrery/sys.h
struct sample {
    u64 time; // time base
    coid_t coid;
    u64 pc;
    u32 cpu, flags, thread, pid;
    u32 index;  // of its event in the session
    u64 weight; // how many of its events it stands for
    u32 caller_count;
    u64 *callers; // innermost first, in the set's own memory
};

// Of one event on one CPU.
struct sample_stream {
    u64 received; // samples that arrived
    u64 lost;     // exact, as the machine counts
    u64 taken;    // in the last session, as the machine counts; 0 until the final statistics came
    u64 filtered; // of those, kept back by the machine because of their processes
    // Of earlier sessions, when a connection was lost and the sampling began anew.
    u64 lost_before, received_before;
    u64 handler_ticks;
    u64 missed;    // periods without a sample: interrupts came too late
    u64 overflows; // as the unit counted them; 0: it did not
    u64 buffer_grown;
    struct sample_sum sum;     // of those that arrived, not scaled
    struct sample_share share; // as the machine has told last
};

struct sample_cpu {
    u32 cpu;
    struct sample_stream streams[SAMPLED_EVENTS_MAX];
};

struct sample_totals {
    u64 samples;
    u64 kernel, attributed, unattributed, stale; // of those that are not idle
    u64 processes; // of those that are not idle: a process ran, or the kernel for one
    u64 idle, soft_masked;
};

// From `time` on a sample of event `index` stands for `period` of it.
struct sample_period {
    u64 time, period;
    u32 index;
};

struct caller_block;
struct sample_set {
    struct sample *samples;
    size_t count, capacity;
    struct sample_cpu *cpus; // by number
    size_t cpu_count, cpu_capacity;
    struct sample_totals totals;
    struct sample_totals by_event[SAMPLED_EVENTS_MAX];
    struct sample_period *periods; // in the order of time
    size_t period_count, period_capacity;
    u32 changes[SAMPLED_EVENTS_MAX]; // of the period while it ran
    struct caller_block *callers;    // memory of all chains
    bool count_only;
    u64 left_out; // of those counted: beyond SAMPLES_MAX
};

// The process whose object and code a sample names: 0 for the kernel's.
static inline u32 sample_space(const struct sample *sample)
{
    return (sample->flags & SYS_SAMPLE_KERNEL) != 0 ? 0 : sample->pid;
}

// Weighs the sample and counts it, and, unless the set only counts, copies it with at most
// SAMPLE_MAX_CALLERS of its chain. Samples of absurd numbers of CPUs or events are dropped.
void samples_add(struct sample_set *set, struct sample *sample);

// A session with these events begins.
void samples_begin(struct sample_set *set, const struct sampled_events *events, u64 time);
// The event has another period from that time on.
void samples_change(struct sample_set *set, u32 index, u64 period, u64 time);

// The entry of a CPU and event, made when it is not there; NULL for absurd numbers.
struct sample_stream *samples_stream(struct sample_set *set, u32 cpu, u32 index);
// How much of the time an event was sampled, on all CPUs; and what all of its samples say.
struct sample_share samples_share(const struct sample_set *set, u32 index);
struct sample_sum samples_events(const struct sample_set *set, u32 index);
// Sums of streams, without what they stand for; SAMPLES_ALL stands for any.
#define SAMPLES_ALL UINT32_MAX
struct sample_stream samples_sum(const struct sample_set *set, u32 cpu, u32 index);
// Samples that were taken, but not asked for.
u64 samples_filtered(const struct sample_set *set);
u64 samples_lost(const struct sample_set *set);
// Periods of all CPUs that passed without a sample, because the emulator was late.
u64 samples_missed(const struct sample_set *set);
void samples_free(struct sample_set *set);

#endif
