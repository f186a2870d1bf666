// SPDX-License-Identifier: MIT
// Timers in order of time: a pairing heap. Insertion is constant, the rest logarithmic over time.
#ifndef USERLIB_TIMERS_H
#define USERLIB_TIMERS_H

#include <orrery/types.h>

struct timer {
    u64 deadline;
    struct timer *child, *next;
    struct timer **link; // what points to it; NULL: not in a heap
};

struct timers {
    struct timer *first;
};

static inline u64
timers_next(const struct timers *timers) // deadline of the first, UINT64_MAX: none
{
    return timers->first ? timers->first->deadline : UINT64_MAX;
}

// timer is not in a heap, its deadline is set.
void timers_add(struct timers *timers, struct timer *timer);
// No effect when it is in none.
void timers_remove(struct timers *timers, struct timer *timer);
// The first one, if its deadline is not after now; removed. NULL.
struct timer *timers_take(struct timers *timers, u64 now);

#endif
