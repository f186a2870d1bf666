// SPDX-License-Identifier: MIT
// System calls that take or return events or all registers, and those on dispatchers.
#include <kernel/address_space.h>
#include <kernel/percpu.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <string.h>
#include <trace/reasons.h>

#include "dispatcher.h"
#include "exception/user.h"
#include "process.h"
#include "syscalls/special.h"

_Static_assert(sizeof(struct event) == 10 * 8, "r3 … r12");

static struct event *registers_of(struct frame *frame)
{
    return (struct event *)&frame->gpr[3];
}

// Only code that no upcall can interrupt may take events.
static bool is_disabled(struct dispatcher *self, struct frame *frame)
{
    if (self->page->disabled != 0)
        return true;
    frame->gpr[3] = (u64)E_INVAL;
    return false;
}

void special_wait(struct frame *frame)
{
    struct dispatcher *self = dispatcher_current();

    if (is_disabled(self, frame))
        dispatcher_wait(self, registers_of(frame), REASON_EVENT);
}

void special_poll(struct frame *frame)
{
    struct dispatcher *self = dispatcher_current();

    if (is_disabled(self, frame) && !dispatcher_poll(self, registers_of(frame)))
        memset(registers_of(frame), 0, sizeof(struct event));
}

void special_resume(struct frame *frame)
{
    struct dispatcher *self = dispatcher_current();
    struct user_state state;

    if (!is_disabled(self, frame))
        return;
    s64 error = copy_from_user(&state, frame->gpr[3], sizeof(state));
    if (error != 0) {
        frame->gpr[3] = (u64)error;
        return;
    }
    memcpy(frame, &state, offsetof(struct frame, vector));
    frame->msr = USER_MSR;
    if ((state.msr & MSR_FP) != 0)
        fpu_resume(self);
    self->page->disabled = 0;
    if (self->news != 0)
        percpu()->user_work = 1;
}

void special_call(struct frame *frame)
{
    struct dispatcher *self = dispatcher_current();

    if (is_disabled(self, frame))
        ipc_call(self, registers_of(frame));
}

void special_reply_wait(struct frame *frame)
{
    struct dispatcher *self = dispatcher_current();

    if (is_disabled(self, frame))
        ipc_reply_wait(self, registers_of(frame));
}

void special_reply(struct frame *frame)
{
    frame->gpr[3] = (u64)ipc_reply(dispatcher_current(), registers_of(frame));
}

void special_send(struct frame *frame)
{
    frame->gpr[3] = (u64)ipc_send(dispatcher_current(), registers_of(frame));
}

// ---- plain ones ---------------------------------------------------------------------------------

s64 sys_dispatcher_create(u32 cpu, u64 upcall_stack)
{
    return process_add_dispatcher(process_current(), cpu, upcall_stack);
}

s64 sys_dispatcher_kick(u32 cpu, u64 bits)
{
    if (cpu >= cpu_count || bits == 0)
        return E_INVAL;
    struct dispatcher *dispatcher = process_dispatcher(process_current(), cpu);
    if (dispatcher == NULL)
        return E_NOENT;
    dispatcher_kick(dispatcher, bits);
    return 0;
}

s64 sys_timer(u64 deadline)
{
    struct dispatcher *self = dispatcher_current();

    if (deadline == UINT64_MAX)
        timer_cancel(&self->timer);
    else
        timer_start(&self->timer, deadline);
    return 0;
}
