// SPDX-License-Identifier: MIT
// DREF in a loop: what its hook costs by itself.
#ifdef COSTS_PLAIN
#define CO_DREF_WITHOUT_HOOK
#endif
#include "costs.h"

#include <co/counter.h>
#include <co/manager.h>
#include <orrery/errors.h>

#define TURNS 1250 // 10,000 DREFs a time
#define BARRIER() __asm__ volatile("" ::: "memory")

// No unrolling, so that both loops do the same besides.
#pragma GCC optimize("no-unroll-loops")

static coid_t counter(void)
{
    static coid_t coid;
    if (coid == 0) {
        s64 created = shared_counter_create();
        if (created < 0)
            fail("counter: %s", orrery_strerror(created));
        coid = (coid_t)created;
        CO_CALL(struct counter, coid, inc); // the first call misses
    }
    return coid;
}

void drefs_in_a_loop(u64 times)
{
    coid_t coid = counter();
    for (u64 i = 0; i < times * TURNS; i++) {
        BARRIER();
        co_dref(coid), co_dref(coid), co_dref(coid), co_dref(coid);
        co_dref(coid), co_dref(coid), co_dref(coid), co_dref(coid);
    }
}

void empty_loop(u64 times)
{
    (void)counter();
    for (u64 i = 0; i < times * TURNS; i++)
        BARRIER();
}
