// SPDX-License-Identifier: MIT
// The walk of a tool through a trace.
#include "trace/trace_walk.h"

struct thread_process {
    u64 key[KEY_WORDS]; // thread
    u64 pid;
    bool known; // if not, it was created in this trace
};

static void learn(struct trace_walk *walk, u64 thread, u64 pid)
{
    struct thread_process *learnt = keyed_rows_get(&walk->threads, (const u64[KEY_WORDS]){thread});
    learnt->pid = pid;
    learnt->known = true;
}

u64 trace_walk_pid(const struct trace_walk *walk, u64 thread)
{
    const struct thread_process *learnt =
        keyed_rows_find(&walk->threads, (const u64[KEY_WORDS]){thread});
    return learnt == NULL || !learnt->known ? ACTIVITY_NO_PID : learnt->pid;
}

u64 trace_walk_thread(const struct trace_walk *walk, u32 cpu)
{
    return walk->machine.cpus[cpu].thread;
}

bool trace_walk_has_cpu(const struct trace_walk *walk, u32 cpu)
{
    return walk->choice->cpu == TRACE_ANY || walk->choice->cpu == cpu;
}

bool trace_walk_has_thread(const struct trace_walk *walk, u64 thread)
{
    return walk->choice->pid == TRACE_ANY || walk->choice->pid == trace_walk_pid(walk, thread);
}

// Learns the process of the thread that runs. A process logs while one of its threads runs on the
// CPU. In the tick of a switch it may be either thread.
static void learn_from_process(struct trace_walk *walk, const struct trace_event *event)
{
    const struct activity_interval *now = &walk->machine.cpus[event->cpu];
    if (now->thread != ACTIVITY_NO_THREAD && now->from < event->time &&
        trace_walk_pid(walk, now->thread) == ACTIVITY_NO_PID)
        learn(walk, now->thread, event->pid);
}

// Learns that threads are the kernel's if the state has told them, but not as dispatchers. It does
// not if something is missing, which may have told of a dispatcher.
static void learn_from_state(struct trace_walk *walk)
{
    if (walk->any_loss)
        return;
    for (size_t i = 0; i < walk->threads.count; i++) {
        struct thread_process *thread = walk->threads.rows[i];
        thread->known = true; // pid is 0 if it was not known
    }
}

// Learns from the kernel's events. A dispatcher is told before it runs. So a thread that was
// created without one and runs is the kernel's.
static void learn_from_kernel(struct trace_walk *walk, const struct trace_event *event)
{
    u64 values[EVENT_FIELDS_MAX], now = walk->machine.cpus[event->cpu].thread;
    for (u32 i = 0; i < ARRAY_SIZE(walk->dispatchers); i++) {
        if (event_fields_are(&walk->dispatchers[i], event, values))
            learn(walk, values[0], values[1]);
        else if (event_fields_are(&walk->created_threads[i], event, values))
            keyed_rows_get(&walk->threads, (const u64[KEY_WORDS]){values[0]});
    }
    if (event_fields_are(&walk->state_end, event, values))
        learn_from_state(walk);
    labels_learn(&walk->labels, event);
    if (now == ACTIVITY_NO_THREAD || now == walk->before.thread || walk->any_loss)
        return;
    const struct thread_process *created =
        keyed_rows_find(&walk->threads, (const u64[KEY_WORDS]){now});
    if (created != NULL && !created->known)
        learn(walk, now, 0);
}

static int walk_event(void *context, const struct trace_event *event)
{
    struct trace_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    walk->before = walk->machine.cpus[event->cpu];
    int code = activity.event(activity.context, event);
    if (event->pid != 0)
        learn_from_process(walk, event);
    else
        learn_from_kernel(walk, event);
    return code == KOV_OK && walk->event != NULL ? walk->event(walk->context, event) : code;
}

static int walk_loss(void *context, const struct trace_loss *loss)
{
    struct trace_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    walk->any_loss |= loss->pid == 0;
    if (trace_walk_has_cpu(walk, loss->cpu)) {
        walk->lost_packets += loss->packets;
        walk->discarded += loss->discarded;
    }
    int code = activity.loss(activity.context, loss);
    return code == KOV_OK && walk->loss != NULL ? walk->loss(walk->context, loss) : code;
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

int trace_walk(struct trace_walk *walk, struct engine *engine)
{
    const struct trace_choice *choice = walk->choice;
    struct visitor visitor = {walk_event, walk_loss, walk};
    trace_walk_range(walk, engine);
    walk->hz = engine->descriptions.hz;
    walk->threads.row_bytes = sizeof(struct thread_process);
    static const char *const dispatchers[] = {"SCHED:dispatcher_create", "STATE:state_dispatcher"};
    static const char *const threads[] = {"SCHED:thread_create", "STATE:state_thread"};
    for (u32 i = 0; i < ARRAY_SIZE(dispatchers); i++) {
        walk->dispatchers[i] =
            (struct event_fields){.name = dispatchers[i], .fields = {"thread", "pid"}};
        walk->created_threads[i] = (struct event_fields){.name = threads[i], .fields = {"thread"}};
        event_fields_find(&walk->dispatchers[i], &engine->descriptions);
        event_fields_find(&walk->created_threads[i], &engine->descriptions);
    }
    walk->state_end = (struct event_fields){.name = "STATE:state_end"};
    event_fields_find(&walk->state_end, &engine->descriptions);
    walk->machine.interval = walk->interval != NULL ? walk->interval : ignore;
    walk->machine.context = walk->context;
    activity_begin(&walk->machine, &engine->descriptions, activity_cpus(engine), walk->begin);
    int code = labels_begin(&walk->labels, engine, choice->from);
    engine_seek(engine, choice->from);
    if (code == KOV_OK)
        code = engine_visit(engine, choice->to, &visitor);
    activity_end(&walk->machine, walk->end);
    return code;
}

void trace_walk_free(struct trace_walk *walk)
{
    keyed_rows_free(&walk->threads);
    labels_free(&walk->labels);
}
