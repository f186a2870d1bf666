// SPDX-License-Identifier: MIT
// The queues of a scheduler's ready threads: one a priority. Inside of user_disable.
#ifndef USERLIB_READY_H
#define USERLIB_READY_H

#include "scheduler.h"

// Adds a thread behind its equals (front: before them). Nobody is told.
static inline __attribute__((always_inline)) void
ready_add(struct scheduler *scheduler, struct thread *thread, u32 priority, bool front)
{
    struct thread_queue *queue = &scheduler->ready[priority];
    thread->priority = priority;
    thread->run = THREAD_READY;
    thread->next = front ? queue->head : NULL;
    if (!queue->head)
        queue->head = queue->tail = thread;
    else if (front)
        queue->head = thread;
    else
        queue->tail = queue->tail->next = thread;
    scheduler->ready_mask |= 1u << priority;
}

static inline u32 thread_wanted_priority(const struct thread *thread)
{
    return __atomic_load_n(&thread->wanted_priority, __ATOMIC_RELAXED);
}

#endif
