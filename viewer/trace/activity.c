// SPDX-License-Identifier: MIT
// The state machine of CPU, thread and activity. A thread never leaves its CPU. What it has entered
// it leaves when it runs again. So open exceptions and system calls belong to the thread. If a
// thread was there before the trace, nobody knows how many it has open until something comes from
// user mode. A thread that sleeps for an event or an answer goes on in user mode, without an exit.
// A kernel thread is never in user mode. It enters nothing but interrupts. It has none open when it
// gives its CPU away.
#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/activity_thread.h"

#include <string.h>
#include <syscalls/numbers.h>
#include <trace/reasons.h>

// Part of a second. A recording begins with what was logged before its mask came.
#define BEGINNING_PART 4
#define LEARN_EVENTS 1000000 // that the state of a recording may be behind
#define PRIORITY_IDLE 0      // kernel/thread.h
#define KERNEL_SPACE 63      // bit of an address

// The events that it follows.
static const bool follows[EVENT_KINDS] = {
    [EVENT_SWITCH] = true,           [EVENT_THREAD_CREATE] = true,
    [EVENT_THREAD_EXIT] = true,      [EVENT_DISPATCHER_CREATE] = true,
    [EVENT_STATE_DISPATCHER] = true, [EVENT_STATE_BEGIN] = true,
    [EVENT_STATE_THREAD] = true,     [EVENT_EXC_ENTER] = true,
    [EVENT_EXC_EXIT] = true,         [EVENT_IRQ_ENTER] = true,
    [EVENT_IRQ_EXIT] = true,         [EVENT_SYSCALL_ENTER] = true,
    [EVENT_SYSCALL_EXIT] = true,     [EVENT_IPC_CALL] = true,
    [EVENT_IPC_REPLY] = true,        [EVENT_TIMER_FIRE] = true,
    [EVENT_TRACE_START] = true,      [EVENT_STATE_LEFT_OUT] = true,
};

// The folders of monitors do not tell on which CPU a dispatcher is.
static bool is_followed(const struct trace_event *event)
{
    return follows[event->kind] && (event->kind != EVENT_STATE_DISPATCHER || event_tells(event, 2));
}

// ---- threads -----------------------------------------------------------------------------------

// Returns NULL when there is none.
static struct activity_thread *find_thread(const struct activity_machine *machine, u64 id)
{
    struct activity_thread *thread = id_rows_find(&machine->threads, id);
    return thread != NULL && thread->lives ? thread : NULL;
}

static struct activity_thread *get_thread(struct activity_machine *machine, u64 id, u32 cpu)
{
    struct activity_thread *thread = id_rows_get(&machine->threads, id);
    if (!thread->lives)
        *thread = (struct activity_thread){
            .row = thread->row, .pid = ACTIVITY_NO_PID, .cpu = cpu, .lives = true};
    return thread;
}

// ---- intervals ---------------------------------------------------------------------------------

// Without these majors something else may go on than what the others tell.
static const char *const needed[] = {
    [ACTIVITY_UNKNOWN] = "",        [ACTIVITY_IDLE] = "EXC",
    [ACTIVITY_RUN] = "EXC,SYSCALL", [ACTIVITY_SYSCALL] = "EXC,SYSCALL",
    [ACTIVITY_IPC] = "EXC,SYSCALL", [ACTIVITY_FAULT] = "EXC",
    [ACTIVITY_INTERRUPT] = "EXC",
};

static struct activity_interval state_of(const struct activity_machine *machine,
                                         const struct activity_thread *thread, u32 cpu, u64 time)
{
    if ((machine->enabled & machine->switches) == 0)
        thread = NULL;
    struct activity_interval state = {.from = time,
                                      .cpu = cpu,
                                      .thread =
                                          thread == NULL ? ACTIVITY_NO_THREAD : thread->row.id,
                                      .pid = thread == NULL ? ACTIVITY_NO_PID : thread->pid};
    if (thread == NULL || thread->left_out)
        return state;
    u32 what = thread_innermost(thread);
    if (thread->depth > 0)
        state.activity = opened_by_interrupt(what)    ? ACTIVITY_INTERRUPT
                         : what > OPEN_CALL           ? ACTIVITY_SYSCALL
                         : what == VECTOR_SYSTEM_CALL ? ACTIVITY_IPC
                                                      : ACTIVITY_FAULT;
    else if (thread->settled)
        state.activity = thread->idle ? ACTIVITY_IDLE : ACTIVITY_RUN;
    if ((machine->needed[state.activity] & ~machine->enabled) != 0)
        state.activity = ACTIVITY_UNKNOWN;
    for (u32 i = 0; i < thread->depth; i++)
        state.call = thread->open[i] > OPEN_CALL ? thread->open[i] - OPEN_CALL : state.call;
    if (state.activity == ACTIVITY_FAULT)
        state.detail = what;
    else if (state.activity == ACTIVITY_SYSCALL)
        state.detail = state.call;
    return state;
}

// Changes a CPU's state. thread is NULL if nobody knows which one runs.
static int change(struct activity_machine *machine, const struct activity_thread *thread, u32 cpu,
                  u64 time)
{
    struct activity_interval *now = &machine->cpus[cpu],
                             next = state_of(machine, thread, cpu, time);
    if (now->activity == next.activity && now->thread == next.thread && now->pid == next.pid &&
        now->detail == next.detail && now->call == next.call)
        return KOV_OK;
    struct activity_interval done = *now;
    *now = next;
    done.to = time;
    return done.from < done.to ? machine->interval(machine->context, &done) : KOV_OK;
}

// ---- events ------------------------------------------------------------------------------------

static void set_priority(struct activity_thread *thread, u64 priority)
{
    thread->idle = priority == PRIORITY_IDLE;
    thread->kernel |= thread->idle;
}

// A thread gives its CPU away in its own code. It may lose it in an interrupt.
static bool gives_away(u64 reason)
{
    return reason != REASON_UNKNOWN && reason != REASON_PREEMPTED;
}

bool activity_leaves_out(const struct activity_machine *machine, u64 pid)
{
    for (u32 i = 0; i < machine->left_out_count; i++)
        if (machine->left_out[i] == pid)
            return true;
    return false;
}

static void set_process(const struct activity_machine *machine, struct activity_thread *thread,
                        u64 pid)
{
    thread->pid = pid;
    thread->left_out = activity_leaves_out(machine, pid);
}

// Takes that the recording leaves out a process from here on, or no more.
static void take_left_out(struct activity_machine *machine, u64 pid, bool left_out)
{
    if (left_out && !activity_leaves_out(machine, pid) &&
        machine->left_out_count < ACTIVITY_LEFT_OUT_MAX)
        machine->left_out[machine->left_out_count++] = pid;
    for (size_t i = 0; i < machine->threads.count; i++) {
        struct activity_thread *thread = id_rows_at(&machine->threads, i);
        if (thread->pid != pid)
            continue;
        thread->left_out = left_out;
        thread_mark_unknown(thread);
    }
}

// Takes a switch as one for a call or a reply. It gives the CPU to the server of a call that was
// told, or else the next event may tell for what it was.
static void hand_over(struct activity_machine *machine, u32 cpu, const u64 *values)
{
    struct activity_handover *last = &machine->handovers[cpu];
    u64 to = activity_pid(machine, values[1]);
    bool is_its = values[4] == REASON_CALL ||
                  (values[4] == REASON_UNKNOWN && (to == ACTIVITY_NO_PID || to == last->server));
    bool told = last->call != 0 && is_its;
    machine->given = told ? last->call : 0;
    *last = (struct activity_handover){.by = told ? ACTIVITY_NO_THREAD : values[0],
                                       .reason = values[4]};
}

// Takes a switch. Returns the thread that runs after it.
static struct activity_thread *take_switch(struct activity_machine *machine, u32 cpu,
                                           const u64 *values)
{
    struct activity_thread *from = get_thread(machine, values[0], cpu);
    from->cpu = cpu;
    set_priority(from, values[2]);
    u32 what = thread_innermost(from);
    thread_note_handler(from);
    if (what == VECTOR_SYSTEM_CALL || what == OPEN_CALL + SYS_WAIT ||
        (from->kernel && gives_away(values[4])))
        thread_mark_idle(from);
    thread_mark_unknown(&machine->unnamed[cpu]);
    machine->doer = values[0];
    hand_over(machine, cpu, values);
    from->lives = !from->ended;
    struct activity_thread *to = get_thread(machine, values[1], cpu);
    to->cpu = cpu;
    set_priority(to, values[3]);
    to->returned = true;
    return to;
}

static void take_exception(struct activity_thread *thread, const u64 *values)
{
    if (values[1] >> KERNEL_SPACE == 0) // in user mode nothing is open
        thread_mark_idle(thread);
    thread_enter(thread, (u32)(values[0] % OPEN_CALL));
}

static void take_call(struct activity_thread *thread, u64 number)
{
    if (thread_innermost(thread) != VECTOR_SYSTEM_CALL || number < SYSCALL_SPECIAL_FIRST)
        thread_mark_idle(thread);
    thread_enter(thread, OPEN_CALL + (u32)(number % OPEN_CALL));
}

// Returns whether a call or a reply comes from the fast path: it was the last switch's purpose.
// Without a reason it may have been another's, unless the call's server runs now.
static bool is_fast(const struct activity_handover *last, const struct activity_thread *self,
                    const struct trace_event *event)
{
    const u64 *values = event->values;
    bool call = event->kind == EVENT_IPC_CALL;
    bool handed = !event_tells(event, 3) || values[3] != 0;
    if (last->by == ACTIVITY_NO_THREAD ||
        (call && (!handed || (self->pid != ACTIVITY_NO_PID && self->pid != values[1]))))
        return false;
    return last->reason == REASON_UNKNOWN || last->reason == (call ? REASON_CALL : REASON_REPLY);
}

// Takes a call or a reply. After the fast path both threads are in user mode.
static void take_ipc(struct activity_machine *machine, struct activity_thread *self,
                     const struct trace_event *event)
{
    struct activity_handover *last = &machine->handovers[event->cpu];
    bool call = event->kind == EVENT_IPC_CALL, fast = is_fast(last, self, event);
    if (call && !fast && event_tells(event, 3) && event->values[3] != 0)
        last->call = event->values[2], last->server = event->values[1];
    if (!fast)
        return;
    machine->doer = last->by;
    if (call && machine->cpus[event->cpu].thread != ACTIVITY_NO_THREAD)
        machine->given = event->values[2];
    struct activity_thread *other = find_thread(machine, last->by);
    thread_mark_idle(self);
    if (other != NULL)
        thread_mark_idle(other);
}

static void apply_to(struct activity_machine *machine, struct activity_thread *self,
                     const struct trace_event *event)
{
    const u64 *values = event->values;
    switch ((u32)event->kind) {
    case EVENT_IPC_CALL:
    case EVENT_IPC_REPLY:
        take_ipc(machine, self, event);
        break;
    case EVENT_EXC_ENTER:
        take_exception(self, values);
        break;
    case EVENT_EXC_EXIT:
        thread_leave(self, (u32)(values[0] % OPEN_CALL));
        break;
    case EVENT_SYSCALL_ENTER:
        take_call(self, values[0]);
        break;
    case EVENT_SYSCALL_EXIT:
        thread_leave(self, OPEN_CALL + (u32)(values[0] % OPEN_CALL));
        break;
    case EVENT_TIMER_FIRE:
        thread_note_handler(self);
        break;
    case EVENT_IRQ_ENTER:
        thread_note_handler(self);
        thread_enter(self, OPEN_IRQ);
        break;
    case EVENT_IRQ_EXIT:
        thread_leave(self, OPEN_IRQ);
        break;
    }
}

// Notes which majors are recorded from now on. Of what threads have entered meanwhile, nothing was
// told.
static void set_enabled(struct activity_machine *machine, u64 majors)
{
    u64 followed = machine->switches;
    for (u32 i = 0; i < ARRAY_SIZE(needed); i++)
        followed |= machine->needed[i];
    bool more = ((majors & ~machine->enabled) & followed) != 0;
    for (size_t i = 0; i < machine->threads.count && more; i++)
        thread_mark_unknown(id_rows_at(&machine->threads, i));
    struct recorded *recorded = machine->recorded;
    machine->enabled = majors & ~recorded->undescribed;
    recorded->ever = machine->enabled | (machine->beginning ? 0 : recorded->ever);
    recorded->always = machine->enabled & (machine->beginning ? UINT64_MAX : recorded->always);
}

// Takes what the recording's state tells of a thread that runs. It makes the system call that tells
// it, or is in an interrupt from another CPU. The interrupt's end is told if those are logged.
static void take_running(const struct activity_machine *machine, struct activity_thread *thread,
                         bool in_interrupt)
{
    if (thread->settled || !in_interrupt || (machine->exits & machine->enabled) == 0)
        return;
    if (thread->kernel)
        thread->settled = true;
    if (opened_by_interrupt(thread_innermost(thread))) // its begin was told
        return;
    thread_enter(thread, VECTOR_EXTERNAL);
    if ((machine->irq_exits & machine->enabled) != 0)
        thread_enter(thread, OPEN_IRQ);
}

// Takes a kernel thread that does not run. Each is in its own code; but one that is ready may have
// lost its CPU in an interrupt, which it then leaves.
static void take_kernel(const struct activity_machine *machine, struct activity_thread *thread,
                        u64 state, u64 exception)
{
    if (state != REPORTED_PARKED && state != REPORTED_READY)
        return;
    thread_mark_unknown(thread);
    if (state == REPORTED_READY && exception != 0 && (machine->exits & machine->enabled) == 0)
        return; // it will not be told when
    thread_mark_idle(thread);
    if (state == REPORTED_READY && exception != 0)
        thread_enter(thread, (u32)(exception % OPEN_CALL));
}

// Takes a thread of the recording's state. Returns which thread runs on the CPU: only if nothing
// has told it yet is it news.
static struct activity_thread *take_reported(struct activity_machine *machine,
                                             struct activity_thread *told, u32 cpu, u64 state)
{
    struct activity_thread *unnamed = &machine->unnamed[cpu];
    u64 id = machine->cpus[cpu].thread;
    bool runs = state == REPORTED_RUNS || state == REPORTED_ASKS;
    if (runs && id == ACTIVITY_NO_THREAD) { // it did what this CPU has told so far
        told->settled = unnamed->settled;
        told->depth = unnamed->depth;
        memcpy(told->open, unnamed->open, sizeof(told->open));
    }
    if (runs && (id == ACTIVITY_NO_THREAD || id == told->row.id)) {
        told->cpu = cpu;
        take_running(machine, told, state == REPORTED_RUNS);
        return told;
    }
    return id == ACTIVITY_NO_THREAD ? NULL : get_thread(machine, id, cpu);
}

// Takes a dispatcher that waits in the kernel, and so goes on in user mode; unless it has gone on
// by now.
static void take_waiting(const struct activity_machine *machine, struct activity_thread *thread)
{
    bool runs =
        thread->cpu >= ORRERY_MAX_CPUS || machine->cpus[thread->cpu].thread == thread->row.id;
    if (!runs && thread->depth == 0)
        thread_mark_idle(thread);
}

// Takes an event that tells of a thread, whoever logs it.
static void apply_to_other(struct activity_machine *machine, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct activity_thread *other;
    switch ((u32)event->kind) {
    case EVENT_THREAD_CREATE:
        other = get_thread(machine, values[0], (u32)values[1]);
        other->settled = true;
        other->kernel = values[2] != 0;
        break;
    case EVENT_THREAD_EXIT:
        get_thread(machine, values[0], event->cpu)->ended = true;
        break;
    case EVENT_DISPATCHER_CREATE:
        set_process(machine, get_thread(machine, values[0], event->cpu), values[1]);
        break;
    case EVENT_STATE_LEFT_OUT:
        take_left_out(machine, values[0], values[1] != 0);
        break;
    case EVENT_STATE_BEGIN:
    case EVENT_TRACE_START:
        set_enabled(machine, values[0]);
        break;
    case EVENT_STATE_DISPATCHER:
        other = get_thread(machine, values[0], (u32)values[2]);
        set_process(machine, other, values[1]);
        if (values[3] != 0)
            take_waiting(machine, other);
        break;
    }
}

// Returns the thread that runs after the event; NULL if nobody knows.
static struct activity_thread *apply(struct activity_machine *machine,
                                     const struct trace_event *event)
{
    const u64 *values = event->values;
    u32 cpu = event->cpu;
    if (event->kind == EVENT_SWITCH)
        return take_switch(machine, cpu, values);
    if (event->kind == EVENT_STATE_THREAD) {
        struct activity_thread *told = get_thread(machine, values[0], cpu);
        set_priority(told, values[2]);
        if (values[4] != 0) {
            told->kernel = true;
            take_kernel(machine, told, values[3], values[5]);
        }
        machine->handovers[cpu].by = ACTIVITY_NO_THREAD;
        return take_reported(machine, told, cpu, values[3]);
    }
    apply_to_other(machine, event);
    u64 id = machine->cpus[cpu].thread;
    struct activity_thread *self = id == ACTIVITY_NO_THREAD ? NULL : get_thread(machine, id, cpu);
    apply_to(machine, self != NULL ? self : &machine->unnamed[cpu], event);
    machine->handovers[cpu].by = ACTIVITY_NO_THREAD;
    return self;
}

static int take_event(void *context, const struct trace_event *event)
{
    struct activity_machine *machine = context;
    machine->doer = machine->cpus[event->cpu].thread;
    machine->given = 0;
    machine->beginning = machine->beginning && event->time < machine->begun;
    if (!is_followed(event))
        return KOV_OK;
    return change(machine, apply(machine, event), event->cpu, event->time);
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct activity_machine *machine = context;
    if (loss->pid != 0)
        return KOV_OK;
    for (size_t i = 0; i < machine->threads.count; i++) {
        struct activity_thread *thread = id_rows_at(&machine->threads, i);
        if (thread->cpu == loss->cpu)
            thread_mark_unknown(thread);
    }
    thread_mark_unknown(&machine->unnamed[loss->cpu]);
    machine->handovers[loss->cpu] = (struct activity_handover){.by = ACTIVITY_NO_THREAD};
    u64 since = machine->cpus[loss->cpu].from;
    return change(machine, NULL, loss->cpu, loss->from < since ? since : loss->from);
}

// ---- begin and end -----------------------------------------------------------------------------

struct learning {
    struct activity_machine *machine;
    u64 events;
};

// Learns whom the recording leaves out, up to the end of its state. It does so from its first event
// on, which may come before its state.
static int learn_left_out(void *context, const struct trace_event *event)
{
    struct learning *learning = context;
    struct activity_machine *machine = learning->machine;
    const u64 *values = event->values;
    if (event->kind == EVENT_STATE_LEFT_OUT)
        take_left_out(machine, values[0], values[1] != 0);
    else if (event->kind == EVENT_STATE_DISPATCHER && is_followed(event) &&
             activity_leaves_out(machine, values[1]))
        set_process(machine, get_thread(machine, values[0], (u32)values[2]), values[1]);
    bool all = event->kind == EVENT_STATE_END;
    return all || ++learning->events == LEARN_EVENTS ? VISIT_ENOUGH : KOV_OK;
}

void activity_begin(struct activity_machine *machine, struct engine *engine, u64 from)
{
    struct learning learning = {machine, 0};
    const struct visitor visitor = {learn_left_out, NULL, &learning};
    machine->threads.row_bytes = sizeof(struct activity_thread);
    machine->told = engine->cpus;
    machine->recorded = &engine->recorded;
    machine->enabled = engine->recorded.begin;
    machine->beginning = !engine->recorded.begin_told;
    machine->begun = from + engine->descriptions.hz / BEGINNING_PART;
    machine->switches = recorded_mask("SCHED");
    for (u32 i = 0; i < ARRAY_SIZE(needed); i++)
        machine->needed[i] = recorded_mask(needed[i]);
    machine->unnamed = memory_get(ORRERY_MAX_CPUS * sizeof(*machine->unnamed));
    memset(machine->unnamed, 0, ORRERY_MAX_CPUS * sizeof(*machine->unnamed));
    machine->exits = event_kinds_major(&engine->descriptions, EVENT_EXC_EXIT);
    machine->irq_exits = event_kinds_major(&engine->descriptions, EVENT_IRQ_EXIT);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        machine->cpus[cpu] = state_of(machine, NULL, cpu, from);
        machine->handovers[cpu].by = ACTIVITY_NO_THREAD;
        machine->known[cpu] = engine_known_until(engine, cpu);
    }
    if (event_kinds_described(&engine->descriptions, EVENT_STATE_LEFT_OUT) == NULL)
        return;
    engine_seek(engine, 0);
    engine_visit(engine, UINT64_MAX, &visitor); // an error comes again when all is visited
}

bool activity_is_idle(const struct activity_machine *machine, u64 thread)
{
    const struct activity_thread *found = find_thread(machine, thread);
    return found != NULL && found->idle;
}

u32 activity_cpu(const struct activity_machine *machine, u64 thread)
{
    const struct activity_thread *found = id_rows_find(&machine->threads, thread);
    return found != NULL ? found->cpu : UINT32_MAX;
}

u64 activity_pid(const struct activity_machine *machine, u64 thread)
{
    const struct activity_thread *found = find_thread(machine, thread);
    return found != NULL ? found->pid : ACTIVITY_NO_PID;
}

bool activity_is_kernel(const struct activity_machine *machine, u64 thread)
{
    const struct activity_thread *found = find_thread(machine, thread);
    return found != NULL && found->kernel;
}

struct visitor activity_visitor(struct activity_machine *machine)
{
    return (struct visitor){take_event, take_loss, machine};
}

u64 activity_known(const struct activity_machine *machine, u32 cpu, u64 begin, u64 end)
{
    u64 until = machine->known[cpu];
    return until < begin ? begin : until < end ? until : end;
}

u64 activity_all_known(const struct activity_machine *machine, u64 begin, u64 end)
{
    u64 until = end;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        if ((machine->told >> cpu & 1) != 0 && activity_known(machine, cpu, begin, end) < until)
            until = activity_known(machine, cpu, begin, end);
    return until;
}

int activity_stop(struct activity_machine *machine, u64 to)
{
    int code = KOV_OK;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && code == KOV_OK; cpu++) {
        if ((machine->told >> cpu & 1) == 0)
            continue;
        u64 known = machine->known[cpu], since = machine->cpus[cpu].from;
        if (known < to)
            code = change(machine, NULL, cpu, known > since ? known : since);
        struct activity_interval last = machine->cpus[cpu];
        last.to = to;
        if (code == KOV_OK && last.from < to)
            code = machine->interval(machine->context, &last);
    }
    return code;
}

int activity_end(struct activity_machine *machine, u64 to)
{
    int code = activity_stop(machine, to);
    activity_free(machine);
    return code;
}
