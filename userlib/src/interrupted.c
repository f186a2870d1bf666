// SPDX-License-Identifier: MIT
// What a handler of an event may know of the thread that the event has interrupted.
#include "scheduler.h"

static bool on_upcall_stack(const struct scheduler *scheduler)
{
    u64 at = (u64)__builtin_frame_address(0) - ((u64)scheduler - DISPATCHER_LIBRARY);
    return at >= WINDOW_UPCALL_STACK && at < WINDOW_UPCALL_STACK_END;
}

static const struct thread *running(const struct scheduler *scheduler)
{
    const struct thread *thread = scheduler->current;
    return thread && thread->run == THREAD_RUNNING ? thread : NULL;
}

// event_upcall saves the state before it handles the event that has led there. What it handles
// later, when the thread has become ready, has interrupted the library.
const struct user_state *user_interrupted(void)
{
    const struct scheduler *scheduler = scheduler_here();
    const struct thread *thread = running(scheduler);
    return thread && on_upcall_stack(scheduler) ? &thread->state : NULL;
}

u32 user_running(void)
{
    const struct thread *thread = running(scheduler_here());
    return thread ? thread->id : 0;
}

u32 user_ready_threads(void)
{
    const struct scheduler *scheduler = scheduler_here();
    u32 count = 0;
    for (u32 left = scheduler->ready_mask; left != 0; left &= left - 1) {
        const struct thread *thread = scheduler->ready[__builtin_ctz(left)].head;
        for (; thread; thread = thread->next)
            count++;
    }
    return count;
}
