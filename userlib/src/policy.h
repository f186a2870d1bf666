// SPDX-License-Identifier: MIT
// Policies of the scheduler (S003 §3): how long a turn is, and what the use of the CPU costs. Plain
// calculation, tested on the host.
#ifndef USERLIB_POLICY_H
#define USERLIB_POLICY_H

#include <orrery/types.h>

#define POLICY_SLICE_US 10000 // fixed; where a growing one begins
#define POLICY_SLICE_MAX_US 160000
#define POLICY_PERIOD_US 100000 // after which use counts half

#define POLICY_STARVED_PERIODS 100 // a wait that is longer is forgotten by all

enum policy {
    POLICY_FIXED,    // slices of one length, each thread's priority its own
    POLICY_GROWING,  // slices grow, use lowers the priority and is forgotten
    POLICY_STARVING, // … and is forgotten while the thread runs only: the bug of S003 §3.2. It
                     // has an end, else a thread that never sleeps could stop all others for good
    POLICIES,
};

// Of a thread: the slices that it used up, weighed as in a period (time / POLICY_PERIOD_US).
struct use {
    u64 slices;
    u64 period;
};

// Returns the policy with this name; POLICIES: there is none.
enum policy policy_named(const char *name);
// Returns the length of the next slice (µs), if one of slice_us is over and nobody came meanwhile.
u32 policy_longer(u32 slice_us);
// Returns a priority lowered by use: by one for each two slices, three at most, never below 0.
u32 policy_lowered(const struct use *use, u32 priority);
// Halves a use once for each period that has passed.
void policy_age(struct use *use, u64 period);
// Ages the use of a thread that is ready.
void policy_waits(enum policy policy, struct use *use, u64 period);
// Ages the use of a thread that was ready or blocked up to now.
void policy_waited(enum policy policy, struct use *use, u64 period);
// Adds one used up slice.
void policy_charge(struct use *use, u64 period);

#endif
