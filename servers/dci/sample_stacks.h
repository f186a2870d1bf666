// SPDX-License-Identifier: MIT
// Samples by stack, until they are pushed: a table of stacks by number, and how many samples each
// had. A stack is where samples of the same code, object and callers were (SampleStack in
// proto/dci.proto). Any thread may use a table, one at a time.
#ifndef DCI_SAMPLE_STACKS_H
#define DCI_SAMPLE_STACKS_H

#include "sample_sums.h"

#define STACKS_MAX 2048   // of a table; what has no room has no number
#define STACKS_SLOTS 4096 // of the hash table: a power of two

struct stack {
    u64 hash;
    coid_t coid; // 0: of no object
    u64 pc;
    u32 pid;
    bool kernel;
    u8 kind; // dci_SampleSumKind
    u16 caller_count;
    u64 callers[SYS_CALLERS_MAX];
};

// Zeroed: empty.
struct sample_stacks {
    u64 table; // how many tables there were before this one
    u32 count;
    u32 told;                        // the first of them: all clients know their frames
    u16 slots[STACKS_SLOTS];         // number of a stack; 0: free
    struct stack stacks[STACKS_MAX]; // number n is n - 1
    struct sample_sums sums;         // by number
};

// Adds a sample, as sample_sums_add does. Leaves out those of the idle loop.
void sample_stacks_add(struct sample_stacks *stacks, u32 cpu, u32 index, u32 weight,
                       const struct sys_sample *sample);
// Returns true if so many more samples may have no room.
bool sample_stacks_near_full(const struct sample_stacks *stacks, u32 samples);
// Ends a push of all sums: the frames of all stacks are known. Begins another table if this one
// would not have room for those of the next push.
void sample_stacks_pushed(struct sample_stacks *stacks);
// Forgets all stacks and sums.
void sample_stacks_forget(struct sample_stacks *stacks);

#endif
