// SPDX-License-Identifier: MIT
// What a thread has open: exceptions, interrupts, system calls.
#include "trace/activity_thread.h"

#include <syscalls/numbers.h>

void thread_mark_unknown(struct activity_thread *thread)
{
    thread->settled = false;
    thread->depth = 0;
}

void thread_mark_idle(struct activity_thread *thread)
{
    thread->settled = true;
    thread->depth = 0;
}

void thread_enter(struct activity_thread *thread, u32 what)
{
    thread->returned = false;
    if (thread->depth == MAX_DEPTH)
        thread_mark_unknown(thread);
    else
        thread->open[thread->depth++] = what;
}

u32 thread_innermost(const struct activity_thread *thread)
{
    return thread->depth > 0 ? thread->open[thread->depth - 1] : UINT32_MAX;
}

bool opened_by_interrupt(u32 what)
{
    return what == OPEN_IRQ || what == VECTOR_EXTERNAL || what == VECTOR_DECREMENTER;
}

void thread_note_handler(struct activity_thread *thread)
{
    u32 what = thread_innermost(thread);
    if (!thread->kernel || thread->settled || !opened_by_interrupt(what))
        return;
    thread_mark_idle(thread);
    thread_enter(thread, what);
}

void thread_leave(struct activity_thread *thread, u32 what)
{
    bool outermost =
        thread->kernel && thread->returned && what != OPEN_IRQ && opened_by_interrupt(what);
    if (thread_innermost(thread) == what)
        thread->depth--;
    else
        thread_mark_unknown(thread);
    thread->returned = false;
    // A system call comes from user mode.
    if (what == VECTOR_SYSTEM_CALL ||
        (what > OPEN_CALL && what < OPEN_CALL + SYSCALL_SPECIAL_FIRST) ||
        (outermost && thread->depth == 0))
        thread_mark_idle(thread);
}
