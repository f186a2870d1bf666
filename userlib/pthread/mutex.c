// SPDX-License-Identifier: MIT
// POSIX's mutexes: one of the library's, with a kind. What is free is taken before the kind is
// looked at.
#include "objects.h"

#include <errno.h>
#include <posix/deadline.h>

static struct posix_mutex *of(pthread_mutex_t *mutex)
{
    return (struct posix_mutex *)mutex;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    int kind = attributes != NULL ? attributes->__kind : PTHREAD_MUTEX_DEFAULT;
    *of(mutex) = (struct posix_mutex){.kind = (u64)kind};
    return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    return __atomic_load_n(&of(mutex)->mutex.word, __ATOMIC_RELAXED) != 0 ? EBUSY : 0;
}

// The caller has it already.
static int lock_again(struct posix_mutex *mutex, u64 deadline)
{
    if (mutex->kind == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    if (mutex->kind == PTHREAD_MUTEX_RECURSIVE) {
        mutex->depth++;
        return 0;
    }
    do
        thread_sleep_until(deadline);
    while (deadline == THREAD_FOREVER);
    return ETIMEDOUT;
}

// These two are functions of their own, so that those before them need no frame.
static __attribute__((noinline)) int lock_taken(struct posix_mutex *mutex)
{
    if (mutex_held(&mutex->mutex))
        return lock_again(mutex, THREAD_FOREVER);
    mutex_lock_slow(&mutex->mutex);
    return 0;
}

static __attribute__((noinline)) int unlock_slow(struct posix_mutex *mutex)
{
    if (!mutex_held(&mutex->mutex))
        return EPERM;
    if (mutex->depth != 0)
        mutex->depth--;
    else
        mutex_unlock(&mutex->mutex);
    return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct posix_mutex *self = of(mutex);
    return mutex_try(&self->mutex) ? 0 : lock_taken(self);
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct posix_mutex *self = of(mutex);
    if (mutex_try(&self->mutex))
        return 0;
    if (self->kind != PTHREAD_MUTEX_RECURSIVE || !mutex_held(&self->mutex))
        return EBUSY;
    return lock_again(self, 0);
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *date)
{
    struct posix_mutex *self = of(mutex);
    u64 deadline;
    if (mutex_try(&self->mutex))
        return 0;
    bool again = mutex_held(&self->mutex);
    if (again && self->kind != PTHREAD_MUTEX_NORMAL)
        return lock_again(self, 0);
    int error = posix_deadline(CLOCK_REALTIME, date, &deadline);
    if (error != 0)
        return error;
    if (again)
        return lock_again(self, deadline);
    return mutex_lock_until(&self->mutex, deadline) == 0 ? 0 : ETIMEDOUT;
}

// Nobody waits, and it is not held once more: then this word is the caller.
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct posix_mutex *self = of(mutex);
    u64 owner = (u64)mutex_caller();
    if (self->depth == 0 && __atomic_compare_exchange_n(&self->mutex.word, &owner, 0, false,
                                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        return 0;
    return unlock_slow(self);
}

int pthread_mutexattr_init(pthread_mutexattr_t *attributes)
{
    *attributes = (pthread_mutexattr_t){PTHREAD_MUTEX_DEFAULT};
    return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind)
{
    if (kind < PTHREAD_MUTEX_NORMAL || kind > PTHREAD_MUTEX_ERRORCHECK)
        return EINVAL;
    attributes->__kind = kind;
    return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind)
{
    *kind = attributes->__kind;
    return 0;
}
