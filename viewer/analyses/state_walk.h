// SPDX-License-Identifier: MIT
// The walk of a tool that wants to know what threads did: a trace_walk that also follows their
// states.
#ifndef KOV_STATE_WALK_H
#define KOV_STATE_WALK_H

#include "analyses/trace_walk.h"
#include "trace/thread_states.h"

struct state_walk {
    struct trace_walk walk;
    struct thread_states states;
    // Gets a thread's times end to end, from its beginning to its end. Each comes after the
    // intervals of its CPUs that lie in it, and before the event that ends it. The others are
    // called after the states have taken the same. NULL: not wanted.
    void (*ended)(void *context, const struct thread_interval *interval);
    void (*turn)(void *context, const struct thread_turn *turn);
    int (*interval)(void *context, const struct activity_interval *interval);
    int (*event)(void *context, const struct trace_walk *walk, const struct trace_event *event);
    void (*loss)(void *context, const struct trace_loss *loss);
    void *context;
};

// Walks from the choice's beginning to its end, and tells what lasts until then. The caller has set
// who gets what, all else zero. Returns an exit code. What the walk has learnt stays until it is
// freed.
int state_walk(struct state_walk *walk, struct engine *engine, const struct trace_choice *choice);
void state_walk_free(struct state_walk *walk);

#endif
