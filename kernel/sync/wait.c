// SPDX-License-Identifier: MIT
// Queues of threads that wait, and mutexes, which are handed from one thread to the next.
#include <kernel/wait.h>

#include <kernel/panic.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "lock_events.h"
#include "proc/thread.h"

struct waiter {
    struct thread *thread;
    struct waiter *next;
    u32 reason; // for the trace
    bool woken;
};

// ---- queues ------------------------------------------------------------------------------------

static void wait_queue_append(struct wait_queue *queue, struct waiter *waiter)
{
    if (queue->first == NULL)
        queue->first = waiter;
    else
        queue->last->next = waiter;
    queue->last = waiter;
}

static void wait_queue_remove(struct wait_queue *queue, const struct waiter *waiter)
{
    struct waiter *before = NULL;

    for (struct waiter *at = queue->first; at != waiter; at = at->next)
        before = at;
    if (before == NULL)
        queue->first = waiter->next;
    else
        before->next = waiter->next;
    if (queue->last == waiter)
        queue->last = before;
}

// Sleeps in a queue. Whoever wakes a thread does so under the lock, which the thread takes before
// it goes on. So the waiter, on its stack, stays as long as it is needed.
static bool sleep_for(struct wait_queue *queue, struct spinlock *lock, u64 deadline, u32 reason)
{
    struct waiter self = {.thread = thread_current(), .reason = reason};

    wait_queue_append(queue, &self);
    do {
        spin_unlock(lock);
        thread_park_for(deadline, reason);
        spin_lock(lock);
    } while (!self.woken && timebase() < deadline);
    if (!self.woken)
        wait_queue_remove(queue, &self);
    return self.woken;
}

bool wait_queue_sleep(struct wait_queue *queue, struct spinlock *lock, u64 deadline)
{
    return sleep_for(queue, lock, deadline, REASON_OTHER);
}

struct thread *wait_queue_wake(struct wait_queue *queue)
{
    struct waiter *waiter = queue->first;

    if (waiter == NULL)
        return NULL;
    queue->first = waiter->next;
    waiter->woken = true;
    thread_unpark_for(waiter->thread, waiter->reason);
    return waiter->thread;
}

void wait_queue_wake_all(struct wait_queue *queue)
{
    while (wait_queue_wake(queue) != NULL)
        continue;
}

// ---- mutexes -----------------------------------------------------------------------------------

void mutex_init(struct mutex *mutex, const char *name, enum mutex_rank rank)
{
    *mutex = (struct mutex)MUTEX_INIT(name, rank);
}

// Inlined: the callers of its caller are told.
static inline __attribute__((always_inline)) void note_taken(struct mutex *mutex,
                                                             struct thread *thread)
{
    mutex->outer = thread->innermost_mutex;
    thread->innermost_mutex = mutex;
    TRACE_POINT(TRACE_MAJOR_LOCKHOLD, told);
    return;
told:
    lock_tell_taken(mutex, true);
    __asm__ volatile(""); // a call, not a jump
}

void mutex_lock(struct mutex *mutex)
{
    struct thread *thread = thread_current();
    const struct mutex *held = thread->innermost_mutex;

    if (held != NULL && held->rank >= mutex->rank)
        panic("lock order: taking %s (mutex rank %lu) while holding %s (mutex rank %lu)",
              mutex->lock.name, mutex->rank, held->lock.name, held->rank);
    spin_lock(&mutex->lock);
    if (mutex->owner == NULL)
        mutex->owner = thread;
    else {
        trace_lock_wait((u64)mutex, 1, mutex->owner->id);
        thread->awaited_mutex = mutex;
        sleep_for(&mutex->waiters, &mutex->lock, NO_DEADLINE, REASON_LOCK);
        thread->awaited_mutex = NULL;
    }
    spin_unlock(&mutex->lock);
    note_taken(mutex, thread);
}

bool mutex_try_lock(struct mutex *mutex)
{
    struct thread *thread = thread_current();

    spin_lock(&mutex->lock);
    bool taken = mutex->owner == NULL;
    if (taken)
        mutex->owner = thread;
    spin_unlock(&mutex->lock);
    if (taken)
        note_taken(mutex, thread);
    return taken;
}

void mutex_unlock(struct mutex *mutex)
{
    struct thread *thread = thread_current();

    if (mutex->owner != thread || thread->innermost_mutex != mutex)
        panic("unlocking %s, which %s does not hold or not last", mutex->lock.name, thread->name);
    thread->innermost_mutex = mutex->outer;
    trace_lock_release((u64)mutex, 1);
    spin_lock(&mutex->lock);
    mutex->owner = wait_queue_wake(&mutex->waiters);
    spin_unlock(&mutex->lock);
}
