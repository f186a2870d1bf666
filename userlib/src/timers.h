// SPDX-License-Identifier: MIT
// Timers in order of time: a pairing heap. Insertion takes constant time, the rest logarithmic over
// time.
#ifndef USERLIB_TIMERS_H
#define USERLIB_TIMERS_H

#include <user/timer.h>

struct timers {
    struct timer *first;
};

// Returns the deadline of the first timer; UINT64_MAX: none.
static inline u64 timers_next(const struct timers *timers)
{
    return timers->first ? timers->first->deadline : UINT64_MAX;
}

// Adds a timer that is in no heap and whose deadline is set.
void timers_add(struct timers *timers, struct timer *timer);
// Removes a timer. No effect if it is in no heap.
void timers_remove(struct timers *timers, struct timer *timer);
// Removes and returns the first timer, if its deadline is not after now; otherwise NULL.
struct timer *timers_take(struct timers *timers, u64 now);

#endif
