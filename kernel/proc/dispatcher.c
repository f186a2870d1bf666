// SPDX-License-Identifier: MIT
// Dispatchers: from creation to end, and what changes when a CPU goes to one.
#include "dispatcher.h"

#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/sanitize.h>
#include <kernel/softmask.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <string.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "events.h"
#include "exception/user.h"
#include "process.h"
#include "thread.h"

#define PAGES_BYTES (WINDOW_MESSAGE + MESSAGE_BYTES) // page and message buffer

_Static_assert(offsetof(struct dispatcher_page, disabled) == 0, "ipc/fast_path.S");
_Static_assert(THREAD_RUNNING == 0 && THREAD_PARKED == (DISPATCHER_ASLEEP & 0xff) &&
                   THREAD_PARKED == (DISPATCHER_IN_CALL & 0xff) &&
                   DISPATCHER_WAITS == DISPATCHER_ASLEEP >> 8 &&
                   DISPATCHER_CALLS == DISPATCHER_IN_CALL >> 8,
               "ipc/fast_path.S");

void dispatcher_begin(struct frame *frame);

static void main_of(void *argument)
{
    const struct dispatcher *self = argument;

    hard_mask();
    user_enter(self->kernel_stack);
}

static void dispatcher_timer_fires(struct timer *timer)
{
    struct dispatcher *self = container_of(timer, struct dispatcher, timer);

    dispatcher_timer_due(self);
}

static struct thread *make_thread(struct dispatcher *dispatcher)
{
    struct process *process = dispatcher->process;
    char name[THREAD_NAME_MAX];

    snprintf(name, sizeof(name), "%.16s/%u", process->name, process->pid);
    return thread_create_dispatcher(name, main_of, dispatcher, dispatcher->cpu,
                                    (u8)process->priority);
}

static void initialise(struct dispatcher *dispatcher, struct process *process, u32 cpu)
{
    char *window = process->windows[cpu]; // user code finds it at r13

    dispatcher->magic = DISPATCHER_MAGIC;
    dispatcher->process = process;
    dispatcher->cpu = cpu;
    spin_init(&dispatcher->lock, "dispatcher", RANK_CO);
    dispatcher->timer.fire = dispatcher_timer_fires;
    ipc_dispatcher_init(&dispatcher->ipc);
    dispatcher->capabilities = process->capabilities;
    dispatcher->tag = space_tag(process->space);
    dispatcher->process_coid = process->root.coid;
    dispatcher->pid = process->pid;
    dispatcher->call_type = EVENT_CALL_OF(process->pid);
    dispatcher->urgency = 2u << process->priority;
    *(u32 *)(window + R13_CPU) = cpu;
    dispatcher->page = (struct dispatcher_page *)(window + R13_HOST);
    dispatcher->page->disabled = 1;
    dispatcher->page->pid = process->pid;
    dispatcher->message = window + WINDOW_MESSAGE;
}

s64 dispatcher_create(struct process *process, u32 cpu, struct dispatcher **made)
{
    s64 error = 0;

    if (process->windows[cpu] == NULL)
        error =
            space_wire(process->space, dispatcher_window(cpu), PAGES_BYTES, &process->windows[cpu]);
    if (error != 0)
        return error;
    struct dispatcher *dispatcher = kzalloc(sizeof(*dispatcher));
    if (dispatcher == NULL)
        return E_NOMEM;
    initialise(dispatcher, process, cpu);
    dispatcher->thread = make_thread(dispatcher);
    if (dispatcher->thread == NULL) {
        kfree(dispatcher);
        return E_NOMEM;
    }
    dispatcher->thread_id = dispatcher->thread->id;
    dispatcher->page->thread = dispatcher->thread_id;
    dispatcher->kernel_stack = dispatcher->thread->stack_top - USER_STACK_TOP;
    user_frame(dispatcher)->pc = 0; // no user code of its own yet, for the handler of overflows
    *made = dispatcher;
    return 0;
}

void dispatcher_free(struct dispatcher *dispatcher)
{
    kfree(dispatcher);
}

void dispatcher_discard(struct dispatcher *dispatcher)
{
    dispatcher->thread->ended = true;
    co_destroy(dispatcher->thread->root.coid);
    kfree(dispatcher);
}

void dispatcher_start(struct dispatcher *dispatcher)
{
    scheduler_start(dispatcher->thread);
}

// Makes the first frame of user code, disabled. On a fresh kernel stack.
void dispatcher_begin(struct frame *frame)
{
    struct dispatcher *self = percpu()->dispatcher;

    memset(frame, 0, sizeof(*frame));
    frame->gpr[1] = self->start_sp;
    frame->gpr[2] = self->start_toc;
    frame->gpr[3] = self->start_argument;
    if (self->start_event) {
        frame->gpr[3] = EVENT_START;
        frame->gpr[4] = self->cpu;
    }
    frame->gpr[13] = dispatcher_window(self->cpu);
    frame->pc = self->start_pc;
    frame->msr = USER_MSR;
    *(u64 *)self->kernel_stack = 0; // ends the back chain
    hard_unmask();
    CO_CALL(struct process_rep, self->process->root.coid, attach, self);
    co_thread_exit(&self->thread->member);
    hard_mask();
    user_exit(frame);
}

void dispatcher_stop(struct dispatcher *dispatcher)
{
    dispatcher->ending = true;
    dispatcher_notify(dispatcher, REASON_OTHER);
}

void dispatcher_end(void)
{
    struct dispatcher *self = percpu()->dispatcher;
    struct process *process = self->process;

    soft_mask();
    thread_join_generation(self->thread);
    soft_mask_restore(0);
    self->ending = true;
    timer_cancel(&self->timer);
    placement_end(self);
    dispatcher_drop_events(self);
    fpu_discard(self);
    u8 masked = soft_mask();
    TELL(dispatcher_ends);
    space_switch(NULL);
    soft_mask_restore(masked);
    self->run_ticks = self->thread->run_ticks;
    process_dispatcher_ended(process, self);
    thread_end();
}

void thread_join_generation(struct thread *thread)
{
    const struct dispatcher *dispatcher = thread->dispatcher;

    if (dispatcher == NULL || dispatcher->interrupted_user || thread->member.generation != 0)
        return;
    co_thread_enter(&thread->member);
    if (thread == percpu()->current)
        percpu()->user_work = 1;
}

void dispatcher_switched(struct thread *from, struct thread *to)
{
    struct percpu *cpu = percpu();
    struct dispatcher *dispatcher = to->dispatcher;

    // A ready thread goes on later and may hold objects. One that parks or has ended holds none.
    if (from->state == THREAD_READY)
        thread_join_generation(from);
    if (from->dispatcher != NULL && from->dispatcher->waiting)
        sanitize_stack_left();
    cpu->dispatcher = dispatcher;
    cpu->user_work = 0;
    if (dispatcher == NULL) {
        cpu->pid = 0;
        model_set_tag(model_tag() & MODEL_TAG_SPACE); // for nobody, in whatever space
        return;
    }
    cpu->kernel_stack = dispatcher->kernel_stack;
    cpu->process = dispatcher->process->root.coid;
    cpu->pid = dispatcher->process->pid;
    __asm__ volatile("sync" ::: "memory"); // pairs with dispatcher_notify
    if (dispatcher->news != 0 || to->member.generation != 0)
        cpu->user_work = 1;
    space_switch(dispatcher->process->space);
    clear_unkept();
}

// ---- what others may ask ------------------------------------------------------------------------

struct dispatcher *dispatcher_current(void)
{
    return percpu()->dispatcher;
}

u32 dispatcher_cpu(const struct dispatcher *dispatcher)
{
    return dispatcher->cpu;
}

struct process *dispatcher_process(struct dispatcher *dispatcher)
{
    return dispatcher->process;
}

struct dispatcher_page *dispatcher_page(struct dispatcher *dispatcher)
{
    return dispatcher->page;
}

void *dispatcher_message(struct dispatcher *dispatcher)
{
    return dispatcher->message;
}

u32 dispatcher_thread_id(const struct dispatcher *dispatcher)
{
    return dispatcher->thread_id;
}

struct ipc_dispatcher *dispatcher_ipc(struct dispatcher *dispatcher)
{
    return &dispatcher->ipc;
}
