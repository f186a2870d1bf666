// SPDX-License-Identifier: MIT
// A timer of a dispatcher. For the other parts of the library; programs sleep (user/thread.h).
#ifndef USER_TIMER_H
#define USER_TIMER_H

#include <orrery/types.h>

struct timer {
    u64 deadline; // time base
    struct timer *child, *next;
    struct timer **link; // what points to it; NULL: not in a heap
    // Called when the time has come, as a handler of events is (user/scheduler.h). NULL: of a
    // thread that sleeps.
    void (*due)(struct timer *timer);
};

// Adds a timer that is in no heap, and whose deadline and `due` are set, on this CPU. Inside of
// user_disable. A timer may add itself when it is due.
void user_timer_start(struct timer *timer);

#endif
