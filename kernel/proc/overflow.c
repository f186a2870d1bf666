// SPDX-License-Identifier: MIT
// Overflows of counters on their way from the interrupt to the process that they hit.
#include "overflow.h"

#include <kernel/percpu.h>

#include "dispatcher.h"
#include "process.h"

struct overflow_record *overflow_begin(struct dispatcher *hit)
{
    struct overflow_state *state = &hit->overflow;

    if (state->session == 0)
        return NULL;
    state->number++;
    // While the library handles one, others would only make it handle these, too: with a short
    // period the program would never go on.
    state->telling = state->telling && hit->page->disabled != 0;
    if (hit->overflowed || state->telling) {
        hit->page->overflows_lost = ++state->lost;
        return NULL;
    }
    state->record = (struct overflow_record){.number = state->number,
                                             .session = state->session,
                                             .thread = hit->thread_id,
                                             .cpu = hit->cpu};
    return &state->record;
}

void overflow_end(struct dispatcher *hit)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    hit->overflowed = true;
    percpu()->user_work = 1;
}

// The handler leaves the record alone until `overflowed` is false again.
bool overflow_take(struct dispatcher *self, struct event *event)
{
    struct overflow_state *state = &self->overflow;

    if (!self->overflowed)
        return false;
    self->page->overflow = state->record;
    self->page->overflows_reported = ++state->told;
    *event =
        (struct event){.type = EVENT_OVERFLOW, .id = state->record.number, .badge = state->lost};
    state->telling = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    self->overflowed = false;
    return true;
}

void process_tell_overflows(struct process *process, s64 session)
{
    spin_lock(&process->lock);
    process->overflow_session = session;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct dispatcher *dispatcher = process->dispatchers[cpu];
        if (dispatcher != NULL && !dispatcher->ended)
            __atomic_store_n(&dispatcher->overflow.session, session, __ATOMIC_RELAXED);
    }
    spin_unlock(&process->lock);
}
