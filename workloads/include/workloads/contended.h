// SPDX-License-Identifier: MIT
// Objects with a spin lock each, which record how long callers waited for them.
#ifndef WORKLOADS_CONTENDED_H
#define WORKLOADS_CONTENDED_H

#include <co/object.h>
#include <kernel/spinlock.h>

// The account of one object on one CPU.
struct contended_account {
    u64 acquisitions;
    u64 contended; // of those, how many had to wait
    u64 turns;     // of the waiting loop, by trace events
    u64 waited;    // time base ticks around spin_lock, beyond those of a free one
};

struct contended_object;

struct contended_ops {
    struct co_ops base;
    // Takes the object's lock, holds it for this many ticks of the time base, and adds to the
    // account. Returns 0.
    s64 (*hold)(struct contended_object *self, u64 ticks, struct contended_account *account);
};

struct contended_object {
    CO_REP(struct contended_ops);
};

// Creates an object of class "ContendedObject". Returns its COID, or an error of co_create.
// co_destroy ends it. Thread context.
s64 contended_create(void);
// Measures the ticks around spin_lock of a free lock: the least of many tries. From then on these
// do not count as waiting.
u64 contended_calibrate(void);

#endif
