// SPDX-License-Identifier: MIT
// Sums of samples by site, until they are pushed: how many samples were in an object, in a process,
// in all. A sample then costs a few look-ups in place of a record of its own. Sites are those of
// SampleSum in proto/dci.proto. Any thread may use a table, one at a time.
#ifndef DCI_SAMPLE_SUMS_H
#define DCI_SAMPLE_SUMS_H

#include <orrery/sys.h>
#include <orrery/types.h>
#include <stdbool.h>

// Sums of processes and objects, or of stacks; further ones go to "others".
#define SUMS_SITES_MAX 1024
// The other kinds: of each there is one for an event on a CPU, and one more after the event's
// weight has changed.
#define SUMS_KINDS_UNBOUNDED 4
#define SUMS_MAX (SUMS_SITES_MAX + SUMS_KINDS_UNBOUNDED * 2 * ORRERY_MAX_CPUS * SYS_SAMPLING_EVENTS)
#define SUMS_SLOTS 4096 // of the hash table: a power of two

struct summed_site {
    coid_t coid; // of SUM_STACK its number
    u32 pid;
    u32 weight; // events that each sample stands for
    u8 kind;    // dci_SampleSumKind
    u8 index, cpu;
    u8 first_turn, latest_turn; // last bits of the turns' numbers
    u32 samples, soft_masked;
    u32 first_samples;  // in the first turn; 0: there is one turn
    u32 latest_samples; // in the latest turn
    u64 turn_squares;   // of the samples in each turn between those
};

// Zeroed: empty.
struct sample_sums {
    u32 count;
    u32 sites;             // sums of processes, objects and stacks among them
    u64 samples;           // in all sums of kind SUM_ALL
    u16 slots[SUMS_SLOTS]; // index + 1 of a sum; 0: free
    // Of each event on a CPU, index + 1 of its latest sums of all and of idle samples; 0: none.
    u16 latest[ORRERY_MAX_CPUS][SYS_SAMPLING_EVENTS][2];
    struct summed_site sums[SUMS_MAX]; // in the order in which they came
};

// Adds a sample of event `index` (below SYS_SAMPLING_EVENTS) on a CPU (below ORRERY_MAX_CPUS).
// Samples of an event on a CPU come in the order of time. weight: 1…2^32-1. Between two calls of
// sample_sums_drop that leave nothing, an event has at most two weights.
void sample_sums_add(struct sample_sums *sums, u32 cpu, u32 index, u32 weight,
                     const struct sys_sample *sample);
// Adds a sample to the sum of a stack's number. 0: to that of stacks without one.
void sample_sums_add_stack(struct sample_sums *sums, u32 cpu, u32 index, u32 weight, u32 stack,
                           const struct sys_sample *sample);
// Returns the kind of a sample's site other than SUM_ALL and SUM_PROCESS.
u8 sample_sums_kind(const struct sys_sample *sample);
// Returns true if the sites of so many more samples may have no room.
bool sample_sums_near_full(const struct sample_sums *sums, u32 samples);
// Forgets the oldest sums.
void sample_sums_drop(struct sample_sums *sums, u32 count);

#endif
