// SPDX-License-Identifier: MIT
// Two ways to sleep until another thread acts. A wait queue, protected by the caller's spin lock. A
// mutex, for sections that are long or that sleep.
#ifndef KERNEL_WAIT_H
#define KERNEL_WAIT_H

#include <kernel/spinlock.h>

struct thread;
struct waiter;

// Zeroed: nobody waits. Its lock protects it and the awaited condition. The lock has a rank <
// RANK_THREAD and is the only one held.
struct wait_queue {
    struct waiter *first, *last; // on their threads' stacks
};

// Releases the lock, sleeps until woken or the time base reaches deadline (NO_DEADLINE: no limit),
// and takes the lock again. Returns true if woken. Thread context.
bool wait_queue_sleep(struct wait_queue *queue, struct spinlock *lock, u64 deadline);
// Wakes the thread that has waited longest, and returns it, or NULL. Lock held; any context but
// PMI.
struct thread *wait_queue_wake(struct wait_queue *queue);
void wait_queue_wake_all(struct wait_queue *queue);

// Ranks of mutexes, low taken first. All are taken before any spin lock.
enum mutex_rank {
    MUTEX_SERVICE = 1, // a service object's state
    MUTEX_DEVICE,      // a device, or a CPU's records
    MUTEX_MONITORS,    // whom monitors track
    MUTEX_POINTS,      // what is patched at points
};

struct mutex {
    struct spinlock lock;
    struct thread *owner; // NULL: free
    struct wait_queue waiters;
    u64 rank;            // enum mutex_rank
    struct mutex *outer; // the mutex that its owner took before this one
};

#define MUTEX_INIT(mutex_name, mutex_rank)                                                         \
    {                                                                                              \
        .lock = SPINLOCK_INIT(mutex_name, RANK_SERVICE), .rank = (mutex_rank)                      \
    }

void mutex_init(struct mutex *mutex, const char *name, enum mutex_rank rank);
// Takes the mutex; sleeps while another thread has it. The longest waiter gets it next. Thread
// context, no spin lock held. Panics if the thread has a mutex that is not of a lower rank. As with
// thread_park, an object reference that is not held may not survive it.
void mutex_lock(struct mutex *mutex);
// Takes it if it is free; never waits, so ranks do not matter.
bool mutex_try_lock(struct mutex *mutex);
// Only by its owner, in reverse order of taking. A thread must own none when it ends.
void mutex_unlock(struct mutex *mutex);

#endif
