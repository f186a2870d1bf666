// SPDX-License-Identifier: MIT
// BlockedThreadQueues (S000 "Software Instrumentation"): the queues of threads that wait for sleep locks, found
// by the address of the word they wait for. One object a process.
#ifndef USERLIB_BLOCKED_THREADS_H
#define USERLIB_BLOCKED_THREADS_H

#include "scheduler.h"

#include <co/object.h>

// A waiting thread, on its own stack.
struct blocked_thread {
    struct blocked_thread *next, *previous;
    const u64 *word; // what it waits for: its queue
    struct thread *thread;
    bool queued;
};

struct blocked_thread_queues;
struct blocked_thread_queues_ops {
    struct co_ops base;
    // Puts entry (thread and word filled in) at its queue's end if *word is still expected: 0 or E_AGAIN.
    s64 (*enqueue)(struct blocked_thread_queues *self, struct blocked_thread *entry, u64 expected);
    // Takes entry out of its queue: 1, or 0 when it had been woken. After this nobody uses entry.
    s64 (*dequeue)(struct blocked_thread_queues *self, struct blocked_thread *entry);
    // Takes at most max threads from the head of a word's queue and wakes them: how many.
    s64 (*wakeup)(struct blocked_thread_queues *self, const u64 *word, u64 max);
};
struct blocked_thread_queues {
    CO_REP(struct blocked_thread_queues_ops);
};

// For locks: the current thread waits until *word, expected now, has been woken for, or until deadline. Returns 0, or
// E_AGAIN when *word was something else, or E_TIMEOUT. Enabled or disabled.
s64 blocked_threads_wait(const u64 *word, u64 expected, u64 deadline);
void blocked_threads_wake(const u64 *word, u64 max);

#endif
