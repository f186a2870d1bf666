// SPDX-License-Identifier: MIT
// The model. The state machine of activities knows who runs; this adds what is so of threads.
#include "trace/trace_model.h"
#include "tools/kov.h"

#include <trace/reasons.h>

const struct model_thread *trace_model_thread(const struct trace_model *model, u64 thread)
{
    return id_rows_find(&model->threads, thread);
}

u64 trace_model_pid(const struct trace_model *model, u64 thread)
{
    const struct model_thread *found = trace_model_thread(model, thread);
    return found == NULL || !found->known ? ACTIVITY_NO_PID : found->pid;
}

enum model_left trace_model_left(const struct trace_model *model, u64 thread)
{
    const struct model_thread *found = trace_model_thread(model, thread);
    return found == NULL ? LEFT_READY : found->left;
}

u64 trace_model_ran(const struct trace_model *model, u64 thread, u64 time)
{
    const struct model_thread *found = trace_model_thread(model, thread);
    u32 cpu = activity_cpu(&model->machine, thread);
    bool runs = cpu < ORRERY_MAX_CPUS && trace_model_runs(model, cpu) == thread;
    return (found == NULL ? 0 : found->ran) + (runs ? time - model->since[cpu] : 0);
}

// ---- who runs ----------------------------------------------------------------------------------

// Notes that a CPU has gone on from a thread, which may be unknown, to the one that runs there now.
static void go_on(struct trace_model *model, u32 cpu, u64 from, u64 time)
{
    if (trace_model_runs(model, cpu) == from)
        return;
    if (from != ACTIVITY_NO_THREAD && time > model->since[cpu])
        ((struct model_thread *)id_rows_get(&model->threads, from))->ran +=
            time - model->since[cpu];
    model->since[cpu] = time;
}

// A thread that leaves in an interrupt is preempted. A switch that tells its reason says it itself.
static enum model_left how_left(const struct trace_model *model, u64 reason)
{
    enum activity activity = model->before.activity;
    if (reason != REASON_UNKNOWN)
        return reason == REASON_PREEMPTED || reason == REASON_YIELD ? LEFT_READY : LEFT_ASLEEP;
    return activity == ACTIVITY_UNKNOWN     ? LEFT_UNCLEAR
           : activity == ACTIVITY_INTERRUPT ? LEFT_READY
                                            : LEFT_ASLEEP;
}

// ---- of which process --------------------------------------------------------------------------

static void learn(struct trace_model *model, u64 id, u64 pid)
{
    struct model_thread *thread = id_rows_get(&model->threads, id);
    thread->pid = pid;
    thread->known = thread->told = true;
}

// Learns the process of the thread that runs. A process logs while one of its threads runs on the
// CPU. In the tick of a switch it may be either thread.
static void learn_from_process(struct trace_model *model, const struct trace_event *event)
{
    const struct activity_interval *now = &model->machine.cpus[event->cpu];
    if (now->thread != ACTIVITY_NO_THREAD && now->from < event->time &&
        trace_model_pid(model, now->thread) == ACTIVITY_NO_PID)
        learn(model, now->thread, event->pid);
}

// Returns whether the state tells a thread of a program, whose dispatcher may end untold.
// Older traces do not tell.
static bool is_programs(const struct trace_event *event)
{
    return event->kind == EVENT_STATE_THREAD && event_tells(event, 4) && event->values[4] == 0;
}

// Learns that threads are the kernel's if the state has told them, but not as dispatchers. It does
// not if something is missing, which may have told of a dispatcher.
static void learn_from_state(struct trace_model *model)
{
    for (size_t i = 0; i < model->threads.count && !model->any_loss; i++) {
        struct model_thread *thread = id_rows_at(&model->threads, i);
        thread->known |= thread->told; // pid is 0 if it was not known
    }
}

// Learns from the kernel's events. A dispatcher is told before it runs. So a thread that was
// created without one and runs is the kernel's.
static void learn_from_kernel(struct trace_model *model, const struct trace_event *event)
{
    const u64 *values = event->values;
    u64 now = trace_model_runs(model, event->cpu);
    if (event->kind == EVENT_DISPATCHER_CREATE || event->kind == EVENT_STATE_DISPATCHER)
        learn(model, values[0], values[1]);
    else if ((event->kind == EVENT_THREAD_CREATE || event->kind == EVENT_STATE_THREAD) &&
             !is_programs(event))
        ((struct model_thread *)id_rows_get(&model->threads, values[0]))->told = true;
    if (event->kind == EVENT_STATE_END)
        learn_from_state(model);
    if (now == ACTIVITY_NO_THREAD || now == model->before.thread || model->any_loss)
        return;
    const struct model_thread *created = trace_model_thread(model, now);
    if (created != NULL && created->told && !created->known)
        learn(model, now, 0);
}

// ---- events ------------------------------------------------------------------------------------

int trace_model_loss(struct trace_model *model, const struct trace_loss *loss)
{
    struct visitor activity = activity_visitor(&model->machine);
    u64 last = trace_model_runs(model, loss->cpu);
    model->any_loss |= loss->pid == 0;
    for (size_t i = 0; loss->pid == 0 && i < model->threads.count; i++) {
        struct model_thread *thread = id_rows_at(&model->threads, i);
        if (activity_cpu(&model->machine, thread->row.id) == loss->cpu)
            thread->left = LEFT_READY;
    }
    int code = activity.loss(activity.context, loss);
    go_on(model, loss->cpu, last, loss->from);
    return code == KOV_OK && model->loss != NULL ? model->loss(model->context, loss) : code;
}

// Tells each CPU that what a major would tell is missing from here on.
static int lose_majors(struct trace_model *model, u64 time)
{
    int code = KOV_OK;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && code == KOV_OK; cpu++)
        if ((model->machine.told >> cpu & 1) != 0)
            code = trace_model_loss(
                model, &(struct trace_loss){.from = time, .to = model->end, .cpu = cpu});
    model->any_loss = true;
    return code;
}

int trace_model_event(struct trace_model *model, const struct trace_event *event)
{
    struct visitor activity = activity_visitor(&model->machine);
    u64 majors = model->machine.enabled;
    model->before = model->machine.cpus[event->cpu];
    int code = activity.event(activity.context, event);
    go_on(model, event->cpu, model->before.thread, event->time);
    if (code == KOV_OK && (majors & ~model->machine.enabled) != 0 && !model->machine.beginning)
        code = lose_majors(model, event->time);
    if (event->kind == EVENT_SWITCH)
        ((struct model_thread *)id_rows_get(&model->threads, event->values[0]))->left =
            how_left(model, event->values[4]);
    if (event->pid != 0)
        learn_from_process(model, event);
    else
        learn_from_kernel(model, event);
    return code;
}

// ---- begin -------------------------------------------------------------------------------------

void trace_model_begin(struct trace_model *model, struct engine *engine, u64 from)
{
    model->threads.row_bytes = sizeof(struct model_thread);
    activity_begin(&model->machine, engine, from);
}

void trace_model_keep(struct trace_model *model, struct trace_model *from)
{
    model->threads = from->threads;
    from->threads = (struct id_rows){0};
    for (size_t i = 0; i < model->threads.count; i++) {
        struct model_thread *thread = id_rows_at(&model->threads, i);
        *thread = (struct model_thread){
            .row = thread->row, .pid = thread->pid, .known = thread->known, .told = thread->told};
    }
}

void trace_model_free(struct trace_model *model)
{
    activity_free(&model->machine);
    id_rows_free(&model->threads);
}
