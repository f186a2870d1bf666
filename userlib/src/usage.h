// SPDX-License-Identifier: MIT
// What a thread's usage of the CPU costs it (S003 §3). Plain calculation, tested on the host.
#ifndef USERLIB_USAGE_H
#define USERLIB_USAGE_H

#include <orrery/types.h>

#define USAGE_PERIOD_US 100000    // after which usage counts half
#define USAGE_STARVED_PERIODS 100 // a wait that is longer is forgotten by all
#define USAGE_SLICE_MAX_US 160000 // slices grow up to this

// Of a thread: the slices that it used up, weighed as in a period (time / USAGE_PERIOD_US).
struct usage {
    u64 slices;
    u64 period;
};

// Returns the length of the next slice (µs), if one of slice_us is over and nobody came meanwhile.
u32 usage_longer(u32 slice_us);
// Returns a priority lowered by usage: by one for each two slices, three at most, never below 0.
u32 usage_lowered(const struct usage *usage, u32 priority);
// Halves a usage once for each period that has passed.
void usage_decay(struct usage *usage, u64 period);
// Does so only after a wait of USAGE_STARVED_PERIODS: the bug of S003 §3.2. It has an end, else a
// thread that never sleeps could stop all others for good.
void usage_decay_starved(struct usage *usage, u64 period);
// Does so for a starving thread that gets its CPU. What passed while it waited does not count.
void usage_run_starved(struct usage *usage, u64 period);
// Adds one used up slice.
void usage_charge(struct usage *usage, u64 period);

#endif
