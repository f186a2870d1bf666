// SPDX-License-Identifier: MIT
// The state machine of CPU, thread and activity. A thread never leaves its CPU. What it has entered
// it leaves when it runs again. So open exceptions and system calls belong to the thread. If a
// thread was there before the trace, nobody knows how many it has open until something comes from
// user mode. A thread that sleeps for an event or an answer goes on in user mode, without an exit.
#include "trace/engine/activity.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>
#include <syscalls/numbers.h>

#define MAX_DEPTH 8
#define PRIORITY_IDLE 0 // kernel/thread.h
#define VECTOR_EXTERNAL 0x500
#define VECTOR_DECREMENTER 0x900
#define VECTOR_SYSTEM_CALL 0xc00 // only special calls; plain ones are no exceptions of the trace
#define KERNEL_SPACE 63          // bit of an address
#define IRQ 0                    // opened by irq_enter, in place of a vector
#define CALL 0x10000             // opened by a system call, plus its number

enum {
    SWITCH,
    THREAD_CREATE,
    THREAD_EXIT,
    DISPATCHER_CREATE,
    STATE_DISPATCHER,
    STATE_BEGIN,
    STATE_THREAD,
    EXC_ENTER,
    EXC_EXIT,
    IRQ_ENTER,
    IRQ_EXIT,
    SYSCALL_ENTER,
    SYSCALL_EXIT,
    IPC_CALL,
    IPC_REPLY,
    TIMER_FIRE
};

static const struct event_fields wanted[ACTIVITY_EVENTS] = {
    [SWITCH] = {"SCHED:switch", {"from", "to", "from_priority", "to_priority"}},
    [THREAD_CREATE] = {"SCHED:thread_create", {"thread", "cpu"}},
    [THREAD_EXIT] = {"SCHED:thread_exit", {"thread"}},
    [DISPATCHER_CREATE] = {"SCHED:dispatcher_create", {"thread", "pid"}},
    [STATE_DISPATCHER] = {"STATE:state_dispatcher", {"thread", "pid", "cpu"}},
    [STATE_BEGIN] = {"STATE:state_begin", {"mask"}},
    [STATE_THREAD] = {"STATE:state_thread", {"thread", "cpu", "priority", "state"}},
    [EXC_ENTER] = {"EXC:exc_enter", {"vector", "pc"}},
    [EXC_EXIT] = {"EXC:exc_exit", {"vector"}},
    [IRQ_ENTER] = {"IRQ:irq_enter", {NULL}},
    [IRQ_EXIT] = {"IRQ:irq_exit", {NULL}},
    [SYSCALL_ENTER] = {"SYSCALL:syscall_enter", {"number"}},
    [SYSCALL_EXIT] = {"SYSCALL:syscall_exit", {"number"}},
    [IPC_CALL] = {"IPC:ipc_call", {NULL}},
    [IPC_REPLY] = {"IPC:ipc_reply", {NULL}},
    [TIMER_FIRE] = {"TIMER:timer_fire", {NULL}},
};

struct activity_thread {
    u64 id, pid;
    u32 cpu;
    bool idle, ended;
    bool settled;  // only what is in `open` is open
    bool returned; // it has just got its CPU back; at most one exception is open
    u32 depth;
    u32 open[MAX_DEPTH]; // vectors, IRQ, CALL + number; innermost last
};

// ---- threads -----------------------------------------------------------------------------------

static size_t place_of(const struct activity_machine *machine, u64 id)
{
    size_t low = 0, high = machine->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (machine->threads[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct activity_thread *get_thread(struct activity_machine *machine, u64 id, u32 cpu)
{
    size_t place = place_of(machine, id);
    if (place < machine->count && machine->threads[place].id == id)
        return &machine->threads[place];
    machine->threads = memory_grow(machine->threads, machine->count, &machine->capacity,
                                   sizeof(*machine->threads));
    struct activity_thread *thread = &machine->threads[place];
    memmove(thread + 1, thread, (machine->count++ - place) * sizeof(*thread));
    *thread = (struct activity_thread){.id = id, .pid = ACTIVITY_NO_PID, .cpu = cpu};
    return thread;
}

static void unsettle(struct activity_thread *thread)
{
    thread->settled = false;
    thread->depth = 0;
}

// Notes that nothing is open: the thread is in user mode, or is an idle thread that waits.
static void settle(struct activity_thread *thread)
{
    thread->settled = true;
    thread->depth = 0;
}

static void enter(struct activity_thread *thread, u32 what)
{
    thread->returned = false;
    if (thread->depth == MAX_DEPTH)
        unsettle(thread);
    else
        thread->open[thread->depth++] = what;
}

static u32 innermost(const struct activity_thread *thread)
{
    return thread->depth > 0 ? thread->open[thread->depth - 1] : UINT32_MAX;
}

static bool is_interrupt(u32 what)
{
    return what == IRQ || what == VECTOR_EXTERNAL || what == VECTOR_DECREMENTER;
}

// Notes that a handler runs. Interrupts nest, but handlers run and threads are switched only in the
// outermost one. An inner one is left pending. An idle thread does nothing but take interrupts, so
// this tells what it has open.
static void note_handler(struct activity_thread *thread)
{
    u32 what = innermost(thread);
    if (!thread->idle || thread->settled || !is_interrupt(what))
        return;
    settle(thread);
    enter(thread, what);
}

static void leave(struct activity_thread *thread, u32 what)
{
    bool outermost = thread->idle && thread->returned && what != IRQ && is_interrupt(what);
    if (innermost(thread) == what)
        thread->depth--;
    else
        unsettle(thread);
    thread->returned = false;
    // A system call comes from user mode.
    if (what == VECTOR_SYSTEM_CALL || (what > CALL && what < CALL + SYSCALL_SPECIAL_FIRST) ||
        (outermost && thread->depth == 0))
        settle(thread);
}

// ---- intervals ---------------------------------------------------------------------------------

static struct activity_interval state_of(const struct activity_thread *thread, u32 cpu, u64 time)
{
    struct activity_interval state = {.from = time,
                                      .cpu = cpu,
                                      .thread = thread == NULL ? ACTIVITY_NO_THREAD : thread->id,
                                      .pid = thread == NULL ? ACTIVITY_NO_PID : thread->pid};
    if (thread == NULL)
        return state;
    u32 what = innermost(thread);
    if (thread->depth > 0)
        state.activity = is_interrupt(what)           ? ACTIVITY_INTERRUPT
                         : what > CALL                ? ACTIVITY_SYSCALL
                         : what == VECTOR_SYSTEM_CALL ? ACTIVITY_IPC
                                                      : ACTIVITY_FAULT;
    else if (thread->settled)
        state.activity = thread->idle ? ACTIVITY_IDLE : ACTIVITY_RUN;
    for (u32 i = 0; i < thread->depth; i++)
        state.call = thread->open[i] > CALL ? thread->open[i] - CALL : state.call;
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
    struct activity_interval *now = &machine->cpus[cpu], next = state_of(thread, cpu, time);
    if (now->activity == next.activity && now->thread == next.thread && now->pid == next.pid &&
        now->detail == next.detail && now->call == next.call)
        return KOV_OK;
    struct activity_interval done = *now;
    *now = next;
    done.to = time;
    return done.from < done.to ? machine->interval(machine->context, &done) : KOV_OK;
}

// ---- events ------------------------------------------------------------------------------------

// Takes a switch. Returns the thread that runs after it.
static struct activity_thread *take_switch(struct activity_machine *machine, u32 cpu,
                                           const u64 *values)
{
    struct activity_thread *from = get_thread(machine, values[0], cpu);
    from->cpu = cpu;
    from->idle = values[2] == PRIORITY_IDLE;
    u32 what = innermost(from);
    note_handler(from);
    if (what == VECTOR_SYSTEM_CALL || what == CALL + SYS_WAIT)
        settle(from);
    machine->handed_by[cpu] = from->id;
    if (from->ended) {
        size_t behind = machine->count - (size_t)(from - machine->threads) - 1;
        memmove(from, from + 1, behind * sizeof(*from));
        machine->count--;
    }
    struct activity_thread *to = get_thread(machine, values[1], cpu);
    to->cpu = cpu;
    to->idle = values[3] == PRIORITY_IDLE;
    to->returned = true;
    return to;
}

static void take_exception(struct activity_thread *thread, const u64 *values)
{
    if (values[1] >> KERNEL_SPACE == 0) // in user mode nothing is open
        settle(thread);
    enter(thread, (u32)(values[0] % CALL));
}

static void take_call(struct activity_thread *thread, u64 number)
{
    if (innermost(thread) != VECTOR_SYSTEM_CALL || number < SYSCALL_SPECIAL_FIRST)
        settle(thread);
    enter(thread, CALL + (u32)(number % CALL));
}

// Takes an event of the fast path, which switches before it tells. Both threads are in user mode.
static void take_ipc(struct activity_machine *machine, struct activity_thread *self, u32 cpu)
{
    u64 from = machine->handed_by[cpu];
    machine->doer = from != ACTIVITY_NO_THREAD ? from : machine->doer;
    size_t place = place_of(machine, from);
    if (from == ACTIVITY_NO_THREAD || self == NULL)
        return;
    settle(self);
    if (place < machine->count && machine->threads[place].id == from)
        settle(&machine->threads[place]);
}

static void apply_to(struct activity_machine *machine, struct activity_thread *self, u32 kind,
                     u32 cpu, const u64 *values)
{
    if (kind == IPC_CALL || kind == IPC_REPLY)
        take_ipc(machine, self, cpu);
    else if (kind == EXC_ENTER)
        take_exception(self, values);
    else if (kind == EXC_EXIT)
        leave(self, (u32)(values[0] % CALL));
    else if (kind == SYSCALL_ENTER)
        take_call(self, values[0]);
    else if (kind == SYSCALL_EXIT)
        leave(self, CALL + (u32)(values[0] % CALL));
    else if (kind == IRQ_ENTER || kind == TIMER_FIRE)
        note_handler(self);
    if (kind == IRQ_ENTER)
        enter(self, IRQ);
    else if (kind == IRQ_EXIT)
        leave(self, IRQ);
}

static bool is_enabled(const struct activity_machine *machine, u32 kind)
{
    const struct event_description *description = machine->events[kind].description;
    return description != NULL && (machine->enabled >> description->info.major & 1) != 0;
}

// Takes a thread that was not known to run. The thread that tells it is in an interrupt from
// another CPU, or makes a system call. The interrupt's end is told if such events are logged.
static void take_running(const struct activity_machine *machine, struct activity_thread *thread,
                         u64 priority, bool in_interrupt)
{
    thread->idle = priority == PRIORITY_IDLE;
    if (!in_interrupt || !is_enabled(machine, EXC_EXIT))
        return;
    if (thread->idle)
        settle(thread);
    enter(thread, VECTOR_EXTERNAL);
    if (is_enabled(machine, IRQ_EXIT))
        enter(thread, IRQ);
}

static struct activity_thread *apply(struct activity_machine *machine, u32 kind, u32 cpu,
                                     const u64 *values)
{
    u64 id = machine->cpus[cpu].thread;
    struct activity_thread *other;
    switch (kind) {
    case SWITCH:
        return take_switch(machine, cpu, values);
    case THREAD_CREATE:
        other = get_thread(machine, values[0], (u32)values[1]);
        other->settled = true;
        break;
    case THREAD_EXIT:
        get_thread(machine, values[0], cpu)->ended = true;
        break;
    case DISPATCHER_CREATE:
        get_thread(machine, values[0], cpu)->pid = values[1];
        break;
    case STATE_BEGIN:
        machine->enabled = values[0];
        break;
    case STATE_THREAD:
        other = get_thread(machine, values[0], cpu);
        if (id != ACTIVITY_NO_THREAD || (values[3] != TOLD_RUNS && values[3] != TOLD_ASKS))
            break;
        take_running(machine, other, values[2], values[3] == TOLD_RUNS);
        return other;
    case STATE_DISPATCHER:
        get_thread(machine, values[0], (u32)values[2])->pid = values[1];
        break;
    }
    struct activity_thread *self = id == ACTIVITY_NO_THREAD ? NULL : get_thread(machine, id, cpu);
    if (self != NULL)
        apply_to(machine, self, kind, cpu, values);
    machine->handed_by[cpu] = ACTIVITY_NO_THREAD;
    return self;
}

static int take_event(void *context, const struct trace_event *event)
{
    struct activity_machine *machine = context;
    u64 values[EVENT_FIELDS_MAX] = {0};
    u32 kind = 0;
    machine->doer = machine->cpus[event->cpu].thread;
    while (kind < ACTIVITY_EVENTS && !event_fields_are(&machine->events[kind], event, values))
        kind++;
    if (kind == ACTIVITY_EVENTS)
        return KOV_OK;
    return change(machine, apply(machine, kind, event->cpu, values), event->cpu, event->time);
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct activity_machine *machine = context;
    if (loss->pid != 0)
        return KOV_OK;
    for (size_t i = 0; i < machine->count; i++)
        if (machine->threads[i].cpu == loss->cpu)
            unsettle(&machine->threads[i]);
    machine->handed_by[loss->cpu] = ACTIVITY_NO_THREAD;
    u64 since = machine->cpus[loss->cpu].from;
    return change(machine, NULL, loss->cpu, loss->from < since ? since : loss->from);
}

// ---- begin and end -----------------------------------------------------------------------------

u32 activity_cpus(const struct engine *engine)
{
    u32 cpus = 0;
    for (size_t i = 0; i < engine->count; i++)
        if (engine->streams[i]->pid == 0)
            cpus |= 1U << engine->streams[i]->cpu;
    return cpus;
}

void activity_begin(struct activity_machine *machine, const struct descriptions *descriptions,
                    u32 cpus, u64 from)
{
    machine->told = cpus;
    memcpy(machine->events, wanted, sizeof(wanted));
    for (u32 kind = 0; kind < ACTIVITY_EVENTS; kind++)
        event_fields_find(&machine->events[kind], descriptions);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        machine->cpus[cpu] = state_of(NULL, cpu, from);
        machine->handed_by[cpu] = ACTIVITY_NO_THREAD;
    }
}

struct visitor activity_visitor(struct activity_machine *machine)
{
    return (struct visitor){take_event, take_loss, machine};
}

int activity_end(struct activity_machine *machine, u64 to)
{
    int code = KOV_OK;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && code == KOV_OK; cpu++) {
        struct activity_interval last = machine->cpus[cpu];
        last.to = to;
        if ((machine->told >> cpu & 1) != 0 && last.from < to)
            code = machine->interval(machine->context, &last);
    }
    free(machine->threads);
    machine->threads = NULL;
    machine->count = machine->capacity = 0;
    return code;
}
