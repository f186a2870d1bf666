// SPDX-License-Identifier: MIT
// Upcalls: how user code that runs enabled learns of events.
#include <kernel/percpu.h>
#include <string.h>

#include "dispatcher.h"
#include "exception/user.h"
#include "process.h"

_Static_assert(offsetof(struct user_state, pc) == offsetof(struct frame, pc), "one layout");
_Static_assert(offsetof(struct user_state, dsisr) == offsetof(struct frame, dsisr), "one layout");
_Static_assert(sizeof(struct user_state) == sizeof(struct frame), "one layout");

bool dispatcher_enabled(const struct dispatcher *self)
{
    return self->page->disabled == 0 && self->process->image.upcall_entry != 0;
}

// Saves the frame for the library, which sees no word of the kernel's.
static void save(struct dispatcher *self, const struct frame *frame)
{
    struct user_state *state = &self->page->save;

    memcpy(state, frame, offsetof(struct user_state, reserved));
    state->reserved[0] = state->reserved[1] = 0;
    state->pc = user_rollback(&self->process->image, frame->pc);
    state->msr = frame->msr & MSR_FP;
}

bool dispatcher_upcall(struct dispatcher *self, struct frame *frame, const struct event *event)
{
    if (!dispatcher_enabled(self))
        return false;
    save(self, frame);
    self->page->disabled = 1;
    frame->gpr[1] = self->page->upcall_stack;
    frame->gpr[2] = self->process->image.upcall_toc;
    frame->gpr[13] = dispatcher_window(self->cpu);
    frame->pc = self->process->image.upcall_entry;
    frame->lr = 0;
    memcpy(&frame->gpr[3], event, sizeof(*event));
    return true;
}

void dispatcher_deliver(struct dispatcher *self, struct frame *frame)
{
    struct event event;

    if (!dispatcher_enabled(self)) {
        // The handler of an overflow does not write there: dispatcher_poll may be writing.
        if (self->overflowed)
            self->page->pending = 1;
        return;
    }
    if (dispatcher_poll(self, &event))
        dispatcher_upcall(self, frame, &event);
}
