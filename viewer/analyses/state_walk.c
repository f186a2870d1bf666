// SPDX-License-Identifier: MIT
// The walk of a tool that follows threads' states.
#include "analyses/state_walk.h"

static int take_event(void *context, const struct trace_event *event)
{
    struct state_walk *walk = context;
    thread_states_event(&walk->states, event, &walk->walk.model.before);
    return walk->event != NULL ? walk->event(walk->context, &walk->walk, event) : KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct state_walk *walk = context;
    thread_states_loss(&walk->states, loss, loss->packets == 0 && loss->discarded == 0);
    if (loss->pid == 0 && walk->loss != NULL)
        walk->loss(walk->context, loss);
    return KOV_OK;
}

static int take_interval(void *context, const struct activity_interval *interval)
{
    struct state_walk *walk = context;
    return walk->interval(walk->context, interval);
}

int state_walk(struct state_walk *walk, struct engine *engine, const struct trace_choice *choice)
{
    walk->walk = (struct trace_walk){.choice = choice,
                                     .event = take_event,
                                     .loss = take_loss,
                                     .interval = walk->interval != NULL ? take_interval : NULL,
                                     .context = walk};
    walk->states =
        (struct thread_states){.ended = walk->ended, .turn = walk->turn, .context = walk->context};
    trace_walk_range(&walk->walk, engine);
    thread_states_begin(&walk->states, walk->walk.begin);
    int code = trace_walk(&walk->walk, engine);
    if (code == KOV_OK)
        thread_states_end(&walk->states, &walk->walk.model.machine, walk->walk.end);
    return code;
}

void state_walk_free(struct state_walk *walk)
{
    thread_states_free(&walk->states);
    trace_walk_free(&walk->walk);
}
