// SPDX-License-Identifier: MIT
// BlockedThreadQueues (S000 "Software Instrumentation"): the queues of threads that wait for sleep
// locks, found by the address of the word they wait for. Every process has one such object, and as
// many more as it makes.
#ifndef USERLIB_BLOCKED_THREADS_H
#define USERLIB_BLOCKED_THREADS_H

#include "blocked_log.h"
#include "scheduler.h"

#include <co/object.h>
#include <user/blocked_threads.h>

#define BLOCKED_BUCKETS 64

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
    // Puts entry (thread and word filled in) at its queue's end if *word is still expected. Returns
    // 0 or E_AGAIN.
    s64 (*enqueue)(struct blocked_thread_queues *self, struct blocked_thread *entry, u64 expected);
    // Takes entry out of its queue. Returns 1, or 0 if it had been woken. After this nobody uses
    // entry.
    s64 (*dequeue)(struct blocked_thread_queues *self, struct blocked_thread *entry);
    // Takes at most max threads from the head of a word's queue and wakes them. Returns how many.
    s64 (*wakeup)(struct blocked_thread_queues *self, const u64 *word, u64 max);
};
struct blocked_thread_queues {
    CO_REP(struct blocked_thread_queues_ops);
};

// The one implementation: a hash of queues, each with a spin lock.
struct blocked_bucket {
    struct user_spin lock;
    struct blocked_thread *head, *tail;
    struct blocked_log *log; // the object's, or NULL: not logged. Each change looks at this flag
} __attribute__((aligned(128)));

struct hashed_queues {
    struct co_root root;
    struct blocked_thread_queues queues;
    struct blocked_log log;
    struct hashed_queues *next; // of the process; blocked_all
    u64 number;                 // rising
    void *memory;               // where it lies; NULL: it is the process's own
    struct blocked_bucket buckets[BLOCKED_BUCKETS];
};

// Counts the threads that wait for a word. Its bucket is locked.
u32 blocked_queue_length(const struct blocked_bucket *bucket, const u64 *word);

// All objects of the process. Whoever creates, destroys, lists, switches or reads them holds
// blocked_all.
extern struct mutex blocked_all;
extern struct hashed_queues *blocked_first; // the youngest
extern bool blocked_log_new;                // all are logged, also those that are yet to come
// Begins to log an object that is not logged, or ends it. Returns 0 or E_NOMEM. With blocked_all.
s64 blocked_log_object(struct hashed_queues *queues, bool on);

// Do as blocked_threads_wait_in and wake_in in the process's own object, for locks. Enabled or
// disabled.
s64 blocked_threads_wait(const u64 *word, u64 expected, u64 deadline);
void blocked_threads_wake(const u64 *word, u64 max);

#endif
