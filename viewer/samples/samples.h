// SPDX-License-Identifier: MIT
// Samples in memory, and what the machine counted about them.
#ifndef KOV_SAMPLES_H
#define KOV_SAMPLES_H

#include "samples/sample_sum.h"
#include "samples/sampled_events.h"

#include <orrery/sys.h>

#define SAMPLE_MAX_CALLERS 16
#define SAMPLES_MAX (1u << 24) // in memory; later ones are counted, but their places are not kept
#define SAMPLE_MAX_CPUS 1024   // a message with more is nonsense

// flags: SYS_SAMPLE_… of orrery/sys.h
struct sample {
    u64 time; // time base
    coid_t coid;
    u64 pc;
    u32 cpu, flags, thread, pid;
    u32 index;  // of its event, in the session
    u64 weight; // how many of its events the sample stands for
    u32 caller_count;
    u64 *callers; // innermost first; in the set's memory
};

// Of one event on one CPU.
struct sample_stream {
    u64 received; // samples that arrived
    u64 lost;     // exact, counted by the machine
    u64 taken;    // in the last session, counted by the machine; 0 until the final statistics come
    u64 filtered; // the part of them that the machine kept back because of their processes
    // Those of earlier sessions, when a connection was lost and the sampling began anew.
    u64 lost_before, received_before;
    u64 handler_ticks;
    u64 missed;    // periods without a sample, because interrupts came too late
    u64 overflows; // counted by the unit; 0: it did not count them
    u64 buffer_grown;
    struct sample_sum sum;     // of those that arrived; not scaled
    struct sample_share share; // what the machine told last
    // What had been counted when the period changed last, and how many events that is: each
    // overflow is as many as the period of its time.
    struct {
        u64 overflows, taken;
        double events, taken_events;
    } until;
};

struct sample_cpu {
    u32 cpu;
    struct sample_stream streams[SAMPLED_EVENTS_MAX];
};

struct sample_totals {
    u64 samples;
    u64 kernel, attributed, unattributed, stale; // of the samples that are not idle
    u64 processes; // of the samples that are not idle: a process ran, or the kernel worked for one
    u64 idle, soft_masked;
};

// How many events a sample of an event stands for, from when on. Of the changes of a long session
// the last ones are enough, since samples come soon after they were taken.
#define SAMPLE_PERIODS_KEPT 64
struct sample_periods {
    struct {
        u64 time, period;
    } kept[SAMPLE_PERIODS_KEPT]; // change n is number n % SAMPLE_PERIODS_KEPT
    u64 count;
};

struct caller_block;
struct sample_set {
    struct sample *samples;
    size_t count, capacity;
    struct sample_cpu *cpus; // by number
    size_t cpu_count, cpu_capacity;
    struct sample_totals totals;
    struct sample_totals by_event[SAMPLED_EVENTS_MAX];
    u64 began, now; // time base: of the session's begin, and of the machine's last statistics
    struct sample_periods periods[SAMPLED_EVENTS_MAX];
    u32 changes[SAMPLED_EVENTS_MAX]; // how often the period changed during the session
    struct caller_block *callers;    // memory of all chains
    bool count_only;
    u64 left_out; // those beyond SAMPLES_MAX, which are counted
};

// Returns the process whose object and code a sample names. 0 for the kernel's.
static inline u32 sample_space(const struct sample *sample)
{
    return (sample->flags & SYS_SAMPLE_KERNEL) != 0 ? 0 : sample->pid;
}

// Weighs and counts the sample. Unless the set only counts, it copies the sample with at most
// SAMPLE_MAX_CALLERS of its chain. It drops samples with absurd numbers of CPUs or events.
void samples_add(struct sample_set *set, struct sample *sample);

// Begins a session with these events.
void samples_begin(struct sample_set *set, const struct sampled_events *events, u64 time);
// Gives the event another period from that time on. What the streams have counted by now is of the
// period before.
void samples_change(struct sample_set *set, u32 index, u64 period, u64 time);
// Returns the event's present period.
u64 samples_period(const struct sample_set *set, u32 index);

// Returns the entry of a CPU and event, and adds it if needed. NULL for absurd numbers.
struct sample_stream *samples_stream(struct sample_set *set, u32 cpu, u32 index);
// Return how much of the time an event was sampled on all CPUs, and the sum of its samples.
struct sample_share samples_share(const struct sample_set *set, u32 index);
struct sample_sum samples_events(const struct sample_set *set, u32 index);
// Returns the sum of streams, without what their samples stand for. SAMPLES_ALL stands for any CPU
// or event.
#define SAMPLES_ALL UINT32_MAX
struct sample_stream samples_sum(const struct sample_set *set, u32 cpu, u32 index);
// Returns how many samples were taken but not asked for.
u64 samples_filtered(const struct sample_set *set);
// Returns how often the event overflowed on a CPU, with or without a sample.
u64 samples_overflows(const struct sample_stream *stream);
// Returns how many events stand behind each one that the samples of a CPU stand for, at least 1.
// It assumes that what has no sample, because it was lost or merged, is spread like what has one.
double samples_behind(const struct sample_set *set, u32 cpu, u32 index);
// Returns how many events the overflows without a sample stand for, while the event was sampled.
// They may have been anybody's.
double samples_unseen(const struct sample_set *set, u32 index);
// Returns the same of all of the time: by so much more than by chance may any sum of the event's
// samples be too small.
double samples_unseen_error(const struct sample_set *set, u32 index);
u64 samples_lost(const struct sample_set *set);
// Returns how many periods of all CPUs passed without a sample, because the emulator was late.
u64 samples_missed(const struct sample_set *set);
void samples_free(struct sample_set *set);

#endif
