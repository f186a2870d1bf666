// SPDX-License-Identifier: MIT
// The counter of S000, figure 2.5: one interface, a shared and a distributed implementation.
#ifndef CO_COUNTER_H
#define CO_COUNTER_H

#include <co/object.h>

struct counter;

struct counter_ops {
    struct co_ops base;
    s64 (*inc)(struct counter *self); // 0
    s64 (*dec)(struct counter *self); // 0
    s64 (*val)(
        struct counter *self); // the sum over all CPUs, exact when no one changes it meanwhile
};

struct counter {
    CO_REP(struct counter_ops);
};

// Creates a counter at 0. Returns its COID, E_NOMEM or E_LIMIT. co_destroy ends it. Context: as
// co_create.
s64 shared_counter_create(void);      // one value behind a lock
s64 distributed_counter_create(void); // one value a CPU, inc and dec touch only their own

#endif
