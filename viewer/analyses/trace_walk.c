// SPDX-License-Identifier: MIT
// The walk of a tool through a trace.
#include "analyses/trace_walk.h"

u64 trace_walk_pid(const struct trace_walk *walk, u64 thread)
{
    return trace_model_pid(&walk->model, thread);
}

u64 trace_walk_thread(const struct trace_walk *walk, u32 cpu)
{
    return trace_model_runs(&walk->model, cpu);
}

bool trace_walk_is_idle(const struct trace_walk *walk, u64 thread)
{
    return activity_is_idle(&walk->model.machine, thread);
}

u64 trace_walk_known(const struct trace_walk *walk, u32 cpu)
{
    return activity_known(&walk->model.machine, cpu, walk->begin, walk->end);
}

u64 trace_walk_all_known(const struct trace_walk *walk)
{
    return activity_all_known(&walk->model.machine, walk->begin, walk->end);
}

bool trace_walk_is_cut(const struct trace_walk *walk)
{
    return walk->end - trace_walk_all_known(walk) > walk->hz / ENGINE_CLOSING_PART;
}

bool trace_walk_has_cpu(const struct trace_walk *walk, u32 cpu)
{
    return walk->choice->cpu == TRACE_ANY || walk->choice->cpu == cpu;
}

bool trace_walk_has_cpu_of(const struct trace_walk *walk, u64 thread)
{
    return walk->choice->cpu == TRACE_ANY ||
           walk->choice->cpu == activity_cpu(&walk->model.machine, thread);
}

bool trace_walk_has_thread(const struct trace_walk *walk, u64 thread)
{
    return walk->choice->pid == TRACE_ANY || walk->choice->pid == trace_walk_pid(walk, thread);
}

static int walk_event(void *context, const struct trace_event *event)
{
    struct trace_walk *walk = context;
    int code = trace_model_event(&walk->model, event);
    if (event->pid == 0)
        labels_learn(&walk->labels, event);
    return code == KOV_OK && walk->event != NULL ? walk->event(walk->context, event) : code;
}

static int walk_loss(void *context, const struct trace_loss *loss)
{
    struct trace_walk *walk = context;
    if (loss->pid == 0)
        labels_lose(&walk->labels);
    if (trace_walk_has_cpu(walk, loss->cpu)) {
        walk->lost_packets += loss->packets;
        walk->discarded += loss->discarded;
    }
    return trace_model_loss(&walk->model, loss);
}

static int ignore(void *context, const struct activity_interval *interval)
{
    (void)context;
    (void)interval;
    return KOV_OK;
}

void trace_walk_range(struct trace_walk *walk, const struct engine *engine)
{
    const struct trace_choice *choice = walk->choice;
    u64 first = 0, last = 0;
    engine_range(engine, &first, &last);
    walk->begin = choice->from > first ? choice->from : first;
    walk->end = choice->to < last ? choice->to : last;
    if (walk->end < walk->begin)
        walk->end = walk->begin;
}

void trace_walk_begin(struct trace_walk *walk, struct engine *engine)
{
    trace_walk_range(walk, engine);
    walk->hz = engine->descriptions.hz;
    walk->model.machine.interval = walk->interval != NULL ? walk->interval : ignore;
    walk->model.machine.context = walk->model.context = walk->context;
    walk->model.loss = walk->loss;
    walk->model.end = walk->end;
    walk->dispatchers = event_kinds_major(&engine->descriptions, EVENT_DISPATCHER_CREATE);
    labels_prepare(&walk->labels);
    trace_model_begin(&walk->model, engine, walk->begin);
}

struct visitor trace_walk_visitor(struct trace_walk *walk)
{
    return (struct visitor){walk_event, walk_loss, walk};
}

int trace_walk(struct trace_walk *walk, struct engine *engine)
{
    const struct trace_choice *choice = walk->choice;
    struct visitor visitor = trace_walk_visitor(walk);
    int code = recorded_read(engine, choice->from);
    trace_walk_begin(walk, engine);
    if (code == KOV_OK)
        code = labels_begin(&walk->labels, engine, choice->from);
    engine_seek(engine, choice->from);
    if (code == KOV_OK)
        code = engine_visit(engine, choice->to, &visitor);
    activity_stop(&walk->model.machine, walk->end);
    walk->left_out = engine->left_out;
    return code;
}

static int count_down(void *context, const struct trace_event *event)
{
    u64 *left = context;
    (void)event;
    return --*left == 0 ? VISIT_ENOUGH : KOV_OK;
}

int trace_walk_knowing(struct trace_walk *walk, struct engine *engine, u64 most)
{
    struct trace_walk first = {.choice = walk->choice, .event = count_down, .context = &most};
    int code = trace_walk(&first, engine);
    trace_model_keep(&walk->model, &first.model);
    trace_model_free(&first.model);
    walk->labels = first.labels;
    walk->labels.unfollowed = false; // not yet
    return code == KOV_OK ? trace_walk(walk, engine) : code;
}

void trace_walk_free(struct trace_walk *walk)
{
    trace_model_free(&walk->model);
    labels_free(&walk->labels);
}
