// SPDX-License-Identifier: MIT
// The walk of a tool through a trace.
#include "analyses/trace_walk.h"

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

u64 trace_walk_known(const struct trace_walk *walk, u32 cpu)
{
    return activity_known(&walk->machine, cpu, walk->begin, walk->end);
}

u64 trace_walk_all_known(const struct trace_walk *walk)
{
    return activity_all_known(&walk->machine, walk->begin, walk->end);
}

bool trace_walk_is_cut(const struct trace_walk *walk)
{
    return walk->end - trace_walk_all_known(walk) > walk->hz / ENGINE_CLOSING_PART;
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

// Returns whether the state tells a thread of a program, whose dispatcher may end untold.
// Older traces do not tell.
static bool is_programs(const struct trace_event *event)
{
    return event->kind == EVENT_STATE_THREAD && event_tells(event, 4) && event->values[4] == 0;
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
    const u64 *values = event->values;
    u64 now = walk->machine.cpus[event->cpu].thread;
    if (event->kind == EVENT_DISPATCHER_CREATE || event->kind == EVENT_STATE_DISPATCHER)
        learn(walk, values[0], values[1]);
    else if ((event->kind == EVENT_THREAD_CREATE || event->kind == EVENT_STATE_THREAD) &&
             !is_programs(event))
        keyed_rows_get(&walk->threads, (const u64[KEY_WORDS]){values[0]});
    if (event->kind == EVENT_STATE_END)
        learn_from_state(walk);
    labels_learn(&walk->labels, event);
    if (now == ACTIVITY_NO_THREAD || now == walk->before.thread || walk->any_loss)
        return;
    const struct thread_process *created =
        keyed_rows_find(&walk->threads, (const u64[KEY_WORDS]){now});
    if (created != NULL && !created->known)
        learn(walk, now, 0);
}

// Tells each CPU that what a major would tell is missing from here on.
static int lose_majors(struct trace_walk *walk, u64 time)
{
    struct visitor activity = activity_visitor(&walk->machine);
    int code = KOV_OK;
    walk->any_loss = true;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && code == KOV_OK; cpu++) {
        const struct trace_loss loss = {.from = time, .to = walk->end, .cpu = cpu};
        if ((walk->machine.told >> cpu & 1) == 0)
            continue;
        code = activity.loss(activity.context, &loss);
        if (code == KOV_OK && walk->loss != NULL)
            code = walk->loss(walk->context, &loss);
    }
    return code;
}

static int walk_event(void *context, const struct trace_event *event)
{
    struct trace_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    u64 majors = walk->machine.enabled;
    walk->before = walk->machine.cpus[event->cpu];
    int code = activity.event(activity.context, event);
    if (code == KOV_OK && (majors & ~walk->machine.enabled) != 0 && !walk->machine.beginning)
        code = lose_majors(walk, event->time);
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
    if (loss->pid == 0)
        labels_lose(&walk->labels);
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

void trace_walk_begin(struct trace_walk *walk, struct engine *engine)
{
    trace_walk_range(walk, engine);
    walk->hz = engine->descriptions.hz;
    walk->threads.row_bytes = sizeof(struct thread_process);
    walk->machine.interval = walk->interval != NULL ? walk->interval : ignore;
    walk->machine.context = walk->context;
    walk->dispatchers = event_kinds_major(&engine->descriptions, EVENT_DISPATCHER_CREATE);
    labels_prepare(&walk->labels);
    activity_begin(&walk->machine, engine, walk->begin);
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
    activity_end(&walk->machine, walk->end);
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
    walk->threads = first.threads;
    walk->labels = first.labels;
    walk->labels.unfollowed = false; // not yet
    return code == KOV_OK ? trace_walk(walk, engine) : code;
}

void trace_walk_free(struct trace_walk *walk)
{
    keyed_rows_free(&walk->threads);
    labels_free(&walk->labels);
}
