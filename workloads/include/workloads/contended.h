// SPDX-License-Identifier: MIT
// Objects with a spin lock each, which keep their own account of how long they were waited for.
#ifndef WORKLOADS_CONTENDED_H
#define WORKLOADS_CONTENDED_H

#include <co/object.h>
#include <kernel/spinlock.h>

// Of one object on one CPU.
struct contended_account {
    u64 acquisitions;
    u64 contended; // of those, that had to wait
    u64 turns;     // of the waiting loop, by trace events
    u64 waited;    // time base ticks around spin_lock, beyond those of a free one
};

struct contended_object;

struct contended_ops {
    struct co_ops base;
    // Takes the object's lock, holds it for so many ticks of the time base,
    // and adds to the account; 0.
    s64 (*hold)(struct contended_object *self, u64 ticks, struct contended_account *account);
};

struct contended_object {
    CO_REP(struct contended_ops);
};

// A new object of the class "ContendedObject": its COID, or an error of co_create.
// Ends by co_destroy. Thread context.
s64 contended_create(void);
// Ticks around spin_lock of a lock that is free: the least of many tries.
// It counts as no waiting from then on.
u64 contended_calibrate(void);

#endif
