// SPDX-License-Identifier: MIT
// Exceptions in C: dispatch to interrupts, to repairs, or to a panic.
#include "exception.h"

#include <co/manager.h>
#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/rseq.h>
#include <kernel/sanitize.h>
#include <kernel/softmask.h>
#include <orrery/null_pointer.h>
#include <orrery/user.h>
#include <trace/events.h>

#define MSR_EE 0x8000
#define DSISR_MISS 0x40000000
#define STACK_VALID_BIT 0x8000 // set in every address of a stack, clear in its guard

// Handles a fault of a system call in its process's memory: the page may have to be made, or waited
// for. Not where interrupts are masked, hard (the handler of samples) or soft: there a read has a
// fixup.
static bool user_page_comes(const struct frame *frame)
{
    if (frame->dar >= USER_END || (frame->msr & MSR_EE) == 0 || frame->soft_masked)
        return false;
    hard_unmask();
    bool there = space_kernel_fault(frame);
    hard_mask();
    return there;
}

// Fixups come first: an access that can fail cleanly may come from the PMI handler, which must not
// take the object manager's locks. co_fault maps only what is missing; a refused store stays
// refused.
static bool repair_fault(struct frame *frame)
{
    if (frame->vector != VECTOR_DATA_STORAGE && frame->vector != VECTOR_DATA_SEGMENT)
        return false;
    if (user_page_comes(frame))
        return true;
    return fixup_apply(frame) || sanitize_fault(frame) ||
           ((frame->dsisr & DSISR_MISS) && co_fault(frame->dar));
}

const char *exception_null_access(const struct frame *frame, u64 *offset)
{
    u32 code[NULL_CODE_WORDS], words = 0;
    u64 address = frame->vector == VECTOR_INSTRUCTION_STORAGE ? frame->pc : frame->dar;

    *offset = address;
    if (address >= USER_START) // a process may have jumped anywhere
        return NULL;
    while (words < NULL_CODE_WORDS &&
           safe_read(&code[words], (const void *)(frame->pc + 4UL * words), sizeof(u32)) == 0)
        words++;
    return null_access(frame->vector, address, frame->dsisr, code, words);
}

// Returns what was freed that this address, or one little before it, was read in; or NULL.
static const char *freed_with(u64 address)
{
    const u64 each_byte = 0x010101010101;

    if (address >> 16 == JUNK_OBJECTS * each_byte)
        return "a freed object";
    return address >> 16 == JUNK_PAGES * each_byte ? "a freed page" : NULL;
}

static void __attribute__((noreturn)) unexpected(const struct frame *frame)
{
    u64 offset;
    const char *access = exception_null_access(frame, &offset);

    if (access != NULL)
        panic_with_frame(frame, "NULL pointer: %s at offset %#lx", access, offset);
    if (freed_with(offset) != NULL)
        panic_with_frame(frame, "use after free: address %#lx was read in %s", offset,
                         freed_with(offset));
    panic_with_frame(frame, "unexpected exception");
}

void exception_handle(struct frame *frame)
{
    if (!((frame->gpr[1] - FRAME_SIZE) & STACK_VALID_BIT))
        panic_with_frame(frame, "kernel stack overflow");
    if (frame->vector == VECTOR_RESET)
        panic_reset(frame);
    frame->pc = rseq_rollback(frame->pc);
    trace_exc_enter(frame->vector, frame->pc, frame->dar);
    if (frame->vector == VECTOR_EXTERNAL || frame->vector == VECTOR_DECREMENTER)
        interrupt_handle(frame);
    else if (!repair_fault(frame))
        unexpected(frame);
    trace_exc_exit(frame->vector);
}
