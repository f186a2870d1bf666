// SPDX-License-Identifier: MIT
// What is in the words of <sys/_pthreadtypes.h>. All are ready when zeroed, of the first kind.
#ifndef PTHREAD_OBJECTS_H
#define PTHREAD_OBJECTS_H

#include <pthread.h>
#include <user/lock.h>

struct posix_mutex {
    struct mutex mutex;
    u64 depth; // of a recursive one that is held: how often besides
    u64 kind;  // PTHREAD_MUTEX_*
};

struct posix_condition {
    struct condition condition;
    u64 users; // threads that may still look at it
    u64 monotonic;
};

struct posix_rwlock {
    struct mutex mutex; // of the words below
    struct condition condition;
    struct thread *writer;
    u64 readers, waiting;
};

struct posix_barrier {
    struct mutex mutex; // of the words below
    struct condition condition;
    u64 needed, arrived;
    u64 phase;
    u64 inside; // threads that have arrived and not left
};

_Static_assert(sizeof(struct posix_mutex) == sizeof(pthread_mutex_t), "pthread_mutex_t");
_Static_assert(sizeof(struct posix_condition) == sizeof(pthread_cond_t), "pthread_cond_t");
_Static_assert(sizeof(struct posix_rwlock) == sizeof(pthread_rwlock_t), "pthread_rwlock_t");
_Static_assert(sizeof(struct posix_barrier) == sizeof(pthread_barrier_t), "pthread_barrier_t");
_Static_assert(sizeof(struct once) == sizeof(pthread_once_t), "pthread_once_t");

// What POSIX keeps of a thread. Threads of user/thread.h get it when they first ask for it.
struct posix_value {
    const void *value;
    u64 generation; // of the key, when that was set
};
struct posix_thread {
    void *(*function)(void *argument);
    void *argument;
    struct _pthread_cleanup_context *cleanup; // the innermost
    struct posix_value *values;               // by key; NULL: none yet
    bool counted;                             // the process ends with the last of these
};

struct posix_thread *posix_thread_find(void);        // of the caller; NULL: none yet
struct posix_thread *posix_thread_self(void);        // makes it; NULL: no memory
void posix_values_drop(struct posix_thread *thread); // calls destructors

#endif
