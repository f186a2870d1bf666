// SPDX-License-Identifier: MIT
// Fills in the request for the machine. Recordings keep it, too.
#include "samples/sampling.h"

void sampling_fill(struct sampling_message *message, const struct sampling_request *wanted)
{
    Orrery__Dci__SamplingStartRequest *body = &message->body;
    *body = (Orrery__Dci__SamplingStartRequest)ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    body->callers = wanted->callers;
    body->cpu_mask = wanted->cpu_mask;
    body->precise = wanted->precise;
    body->sums = wanted->sums;
    body->stacks = wanted->stacks;
    body->yielding = wanted->yielding;
    body->n_pids = wanted->pids.count;
    body->pids = (u32 *)wanted->pids.pids;
    body->n_except_pids = wanted->except_pids.count;
    body->except_pids = (u32 *)wanted->except_pids.pids;
    body->n_events = wanted->events.count;
    body->events = message->pointers;
    for (u32 i = 0; i < wanted->events.count; i++) {
        const struct sampled_event *event = &wanted->events.events[i];
        message->events[i] = (Orrery__Dci__SampledEvent)ORRERY__DCI__SAMPLED_EVENT__INIT;
        message->events[i].event = event->event;
        message->events[i].mode = (Orrery__Dci__CountMode)event->mode;
        message->events[i].period = event->period;
        message->events[i].randomise = event->randomise;
        message->pointers[i] = &message->events[i];
    }
}
