// SPDX-License-Identifier: MIT
// Exceptions in C: dispatch to interrupts, to repairs, or to a panic.
#include "exception.h"

#include <co/manager.h>
#include <kernel/panic.h>
#include <kernel/rseq.h>
#include <trace/events.h>

#define DSISR_MISS 0x40000000
#define STACK_VALID_BIT 0x8000 // set in every address of a stack, clear in its guard

// Fixups first: an access that can fail cleanly may come from the PMI handler, which must not take
// the object manager's locks. That one maps only what is missing; a refused store stays refused.
static bool repair_fault(struct frame *frame)
{
    if (frame->vector != VECTOR_DATA_STORAGE && frame->vector != VECTOR_DATA_SEGMENT)
        return false;
    return fixup_apply(frame) || ((frame->dsisr & DSISR_MISS) && co_fault(frame->dar));
}

void exception_handle(struct frame *frame)
{
    if (!((frame->gpr[1] - FRAME_SIZE) & STACK_VALID_BIT))
        panic_with_frame(frame, "kernel stack overflow");
    frame->pc = rseq_rollback(frame->pc);
    trace_exc_enter(frame->vector, frame->pc, frame->dar);
    if (frame->vector == VECTOR_EXTERNAL || frame->vector == VECTOR_DECREMENTER)
        interrupt_handle(frame);
    else if (!repair_fault(frame))
        panic_with_frame(frame, "unexpected exception");
    trace_exc_exit(frame->vector);
}
