// SPDX-License-Identifier: MIT
// BlockedThreadQueues: queues of threads that wait for words, the ground of all sleep locks. The
// locks of user/lock.h wait in the one object that every process has. A program can make more, and
// locks that wait there; the monitor logs each object by itself.
#ifndef USER_BLOCKED_THREADS_H
#define USER_BLOCKED_THREADS_H

#include <orrery/inspect.h>
#include <user/lock.h>

// Context, unless said otherwise: a thread, not inside of user_disable.

// Makes an object. Returns its COID, or E_NOMEM, E_LIMIT as co_create.
s64 blocked_threads_create(void);
// Ends an object. E_BUSY: threads wait in it. E_NOENT: there is none, or it is the process's own.
// Nobody may begin to wait in it meanwhile or afterwards.
s64 blocked_threads_destroy(coid_t queues);

// Lets the current thread wait in an object (0: the process's own) for a wake-up of word, until
// deadline. *word should be expected now. Returns 0, E_AGAIN (*word was something
// else), E_TIMEOUT or E_STALE (the object is gone).
s64 blocked_threads_wait_in(coid_t queues, const u64 *word, u64 expected, u64 deadline);
// Wakes at most max of the threads that wait for word in an object, the longest waiting first.
// Returns how many, or E_STALE. Also inside of user_disable.
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

// ---- logging (the inspection channel; orrery/inspect.h)
// ------------------------------------------

// Lists all objects with their queues, as struct sys_blocked_object. *cursor is 0 to start. Returns
// the bytes written, 0 at the end, or E_INVAL if not even one fits.
s64 blocked_threads_list(u64 *cursor, void *buffer, u64 bytes);
// Switches an object (0: all there are, and those to come) to enum sys_blocked_logging. Returns how
// many objects that concerned. E_INVAL: no such logging; E_NOENT: no such object; E_NOMEM: some may
// be logged and others not.
s64 blocked_threads_log(coid_t queues, u64 logging);
// Takes the records of the objects that are logged: struct sys_blocked_log, each followed by its
// records. *cursor is 0 to start; what does not fit comes with the next call. Returns the bytes
// written, 0 at the end, or E_INVAL if not even one fits. One reader.
s64 blocked_threads_read(u64 *cursor, void *buffer, u64 bytes);

#endif
