// SPDX-License-Identifier: MIT
// Timers as sources (S001 §4.3). Each ticks on one CPU, in a handler of events, so the thread that
// it interrupts is known.
#include "profiles.h"

#include <user/objects.h>
#include <user/time.h>

// Returns whether the source goes on, with its next tick set.
static bool next_tick(struct source *source, u64 now)
{
    u64 passed = (now - source->timer.deadline) / source->ticks;

    if (!source->on) {
        source->armed = false;
        return false;
    }
    __atomic_fetch_add(&source->missed, passed, __ATOMIC_RELAXED);
    source->timer.deadline += (passed + 1) * source->ticks;
    return true;
}

// The lock is held as long as the event is at work, for profile_ticks_stop.
static void due(struct timer *timer)
{
    struct source *source = container_of(timer, struct source, timer);
    struct profile_event event = {.time = time_now(), .no_object = E_NOTSUP, .no_words = E_NOTSUP};

    user_spin_lock(&source->lock);
    if (next_tick(source, event.time)) {
        profile_event_interrupted(source, &event);
        profile_event_comes(source, &event);
        user_timer_start(timer);
    }
    user_spin_unlock(&source->lock);
}

// A tick of before may still be to come: that one goes on, one period after the last at most.
static void start_here(void *argument)
{
    struct source *source = argument;

    user_spin_lock(&source->lock);
    source->on = true;
    if (!source->armed) {
        source->armed = true;
        source->timer.due = due;
        source->timer.deadline = time_now() + source->ticks;
        user_timer_start(&source->timer);
    }
    user_spin_unlock(&source->lock);
}

s64 profile_ticks_start(struct source *source)
{
    s64 error = user_dispatcher_start(source->is.cpu);

    source->ticks = time_from_us(source->is.period);
    if (error == 0 && !service_run_on(source->is.cpu, start_here, source))
        error = E_NOMEM;
    return error;
}

void profile_ticks_stop(struct source *source)
{
    u32 before = user_disable();
    user_spin_lock(&source->lock);
    source->on = false;
    user_spin_unlock(&source->lock);
    user_enable(before);
}
