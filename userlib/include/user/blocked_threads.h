// SPDX-License-Identifier: MIT
// BlockedThreadQueues: queues of threads that wait for words, the ground of all sleep locks. Those
// of user/lock.h wait in the one object that every process has. A program can have more of them,
// each of which the monitor logs by itself, and locks that wait there.
#ifndef USER_BLOCKED_THREADS_H
#define USER_BLOCKED_THREADS_H

#include <orrery/monitor.h>
#include <user/lock.h>

// Context, unless said otherwise: a thread, not inside of user_disable.

// A new object: its COID, or E_NOMEM, E_LIMIT as co_create.
s64 blocked_threads_create(void);
// Ends it. E_BUSY while threads wait in it; E_NOENT when it is none, or the process's own. Nobody
// may begin to wait in it meanwhile or afterwards.
s64 blocked_threads_destroy(coid_t queues);

// The current thread waits in an object (0: the process's own) until *word, expected now, has been
// woken for, or until deadline. 0, or E_AGAIN when *word was something else, or E_TIMEOUT; E_STALE:
// the object is gone.
s64 blocked_threads_wait_in(coid_t queues, const u64 *word, u64 expected, u64 deadline);
// Wakes at most max of the threads that wait for word there, longest waiting first: how many, or
// E_STALE. Also inside of user_disable.
s64 blocked_threads_wake_in(coid_t queues, const u64 *word, u64 max);

// ---- a mutex that waits in such an object -------------------------------------------------------

struct queued_mutex {
    struct mutex mutex;
    coid_t queues; // it must live as long as somebody uses the mutex
};
#define QUEUED_MUTEX(coid)                                                                         \
    (struct queued_mutex)                                                                          \
    {                                                                                              \
        MUTEX_INITIALISER, (coid)                                                                  \
    }
void queued_mutex_lock(struct queued_mutex *mutex);
s64 queued_mutex_lock_until(struct queued_mutex *mutex, u64 deadline); // 0, or E_TIMEOUT
void queued_mutex_unlock(struct queued_mutex *mutex);                  // by its owner

// ---- logging (the monitor's channel; orrery/monitor.h) ------------------------------------------

// All objects with their queues, as struct sys_blocked_object. *cursor is 0 to start. Bytes
// written, 0 at the end, E_INVAL when not even one fits.
s64 blocked_threads_list(u64 *cursor, void *buffer, u64 bytes);
// Switches an object (0: all there are, and those to come) to enum sys_blocked_logging. How many
// objects that concerned, or E_INVAL: no such logging; E_NOENT: no such object; E_NOMEM: then some
// may be logged and others not.
s64 blocked_threads_log(coid_t queues, u64 logging);
// Takes the records of the objects that are logged: struct sys_blocked_log, each followed by its
// records. *cursor is 0 to start; what does not fit comes with the next call. Bytes written, 0 at
// the end, E_INVAL when not even one fits.
// One reader.
s64 blocked_threads_read(u64 *cursor, void *buffer, u64 bytes);

#endif
