// SPDX-License-Identifier: MIT
// Threads change their CPU, and their priority.
#include "dispatcher.h"
#include "place.h"

#include <trace/reasons.h>

// Moves a thread to its new CPU. On the upcall stack, after its state has been saved on its own
// stack.
static void send_away(struct thread *thread)
{
    pmu_thread_leaves();
    scheduler_here()->stat.moves++;
    scheduler_leaves(scheduler_here(), thread, REASON_OTHER);
    __atomic_store_n(&thread->cpu, thread->wanted_cpu, __ATOMIC_RELEASE);
    scheduler_send(thread);
    scheduler_dispatch();
}

void thread_follow(struct thread *self)
{
    while (self->wanted_cpu != user_cpu())
        thread_leave(self, send_away);
}

void thread_follow_online(struct thread *self)
{
    co_thread_exit(&self->member);
    thread_follow(self);
    co_thread_enter(&self->member);
}

void thread_pin(struct thread *self)
{
    thread_all_lock();
    self->pinned = true;
    self->wanted_cpu = user_cpu();
    thread_all_unlock();
}

s64 thread_move(struct thread *thread, u32 cpu)
{
    if (thread->pinned || !place_has(cpu))
        return E_PERM;
    s64 error = user_dispatcher_start(cpu);
    if (error)
        return error;
    u32 before = user_disable();
    __atomic_store_n(&thread->wanted_cpu, cpu, __ATOMIC_RELAXED);
    if (thread == scheduler_here()->current)
        thread_follow_request(thread);
    user_enable(before);
    return 0;
}

s64 thread_move_all(u32 cpu)
{
    if (!place_has(cpu))
        return E_PERM;
    s64 error = user_dispatcher_start(cpu);
    if (error)
        return error;
    u32 before = user_disable();
    thread_all_lock();
    for (struct thread *thread = thread_all_first(); thread; thread = thread->all_next) {
        if (!thread->pinned)
            __atomic_store_n(&thread->wanted_cpu, cpu, __ATOMIC_RELAXED);
    }
    thread_all_unlock();
    thread_follow_request(thread_current());
    user_enable(before);
    return 0;
}

// A thread in a queue keeps its place there; the new priority counts from its next turn on.
s64 thread_set_priority(struct thread *thread, u32 priority)
{
    if (priority >= THREAD_PRIORITIES)
        return E_INVAL;
    u32 before = user_disable();
    thread->wanted_priority = priority;
    struct scheduler *scheduler = scheduler_here();
    if (thread == scheduler->current) {
        thread->priority = priority;
        if (scheduler->ready_mask >> priority >> 1)
            scheduler->attention |= ATTENTION_PREEMPT;
    }
    user_enable(before);
    return 0;
}
