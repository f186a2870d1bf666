// SPDX-License-Identifier: MIT
// Samples in memory, and what the machine counted about them.
#ifndef KOV_SAMPLES_H
#define KOV_SAMPLES_H

#include <orrery/sys.h>

#define SAMPLE_MAX_CALLERS 16
#define SAMPLE_MAX_CPUS 1024 // any more in a message is nonsense

// flags: SYS_SAMPLE_… of orrery/sys.h
struct sample {
    u64 time; // time base
    coid_t coid;
    u64 pc;
    u32 cpu, flags, thread, pid;
    u32 caller_count;
    u64 *callers; // innermost first, in the set's own memory
};

struct sample_cpu {
    u32 cpu;
    u64 received; // samples that arrived
    u64 lost;     // exact, as the machine counts
    u64 taken;    // in the last session, as the machine counts; 0 until the final statistics came
    u64 filtered; // of those, kept back by the machine because of their processes
    // Of earlier sessions, when a connection was lost and the sampling began anew.
    u64 lost_before, received_before;
    u64 handler_ticks;
    u64 missed; // periods without a sample: interrupts came too late
    u64 buffer_grown;
};

struct sample_totals {
    u64 samples;
    u64 kernel, attributed, unattributed, stale; // of those that are not idle
    u64 processes; // of those that are not idle: a process ran, or the kernel for one
    u64 idle, soft_masked;
};

struct caller_block;
struct sample_set {
    struct sample *samples;
    size_t count, capacity;
    struct sample_cpu *cpus; // by number
    size_t cpu_count, cpu_capacity;
    struct sample_totals totals;
    struct caller_block *callers; // memory of all chains
    bool count_only;
};

// The process whose object and code a sample names: 0 for the kernel's.
static inline u32 sample_space(const struct sample *sample)
{
    return (sample->flags & SYS_SAMPLE_KERNEL) != 0 ? 0 : sample->pid;
}

// Counts the sample and, unless the set only counts, copies it with its chain. Samples of absurd
// CPU numbers are dropped.
void samples_add(struct sample_set *set, const struct sample *sample);
// The entry of a CPU, made when it is not there; NULL for an absurd number.
struct sample_cpu *samples_cpu(struct sample_set *set, u32 cpu);
// Samples that were taken, but not asked for.
u64 samples_filtered(const struct sample_set *set);
u64 samples_lost(const struct sample_set *set);
// Periods of all CPUs that passed without a sample, because the emulator was late.
u64 samples_missed(const struct sample_set *set);
void samples_free(struct sample_set *set);

#endif
