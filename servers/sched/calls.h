// SPDX-License-Identifier: MIT
// Who calls whom, from the logs (S004 §4.5.3, domain locality): a matrix of processes, calls a
// second, and how many of them went to another CPU. Blocks of readings follow each other; what the
// last whole one says stays until the next has ended.
#ifndef SCHED_CALLS_H
#define SCHED_CALLS_H

#include <orrery/sched.h>

#define CALLS_PAIRS 512 // of a client and a server in a block; further ones are left out

struct calls_pair {
    u32 client, server; // pids
    u32 calls, across;  // a second
    u32 from, at; // CPUs: from which most calls left their CPU, or were made if none did; where
                  // most were served
};

// Forgets all.
void calls_begin(u32 cpus);
// Takes what the CPUs have logged since the last reading. Returns 0, or the error of a reading:
// then this block says nothing.
s64 calls_read(void);
// Begins a block anew: no calls were logged for a while. The last whole one stays.
void calls_rested(void);
// Ends a block.
void calls_end_block(void);

// Returns the pairs of the last whole block, in falling order of `across`, then of `calls`. *count:
// 0 if there was none.
const struct calls_pair *calls_pairs(u32 *count);
// Returns when the last whole block ended (time base), and how long it lasted on the CPU of which
// least was read; 0, 0: there was none.
u64 calls_ended(u64 *lasted);
// Returns the calls a second that a process made or served on a CPU, in the last whole block.
u32 calls_here(u32 pid, u32 cpu);
// Returns when it last did so; 0: not since all was forgotten.
u64 calls_last(u32 pid, u32 cpu);
// Returns the readings in which rows had been overwritten unread: their rates are those of the time
// that the rest of the rows spans.
u64 calls_cut(void);

#endif
