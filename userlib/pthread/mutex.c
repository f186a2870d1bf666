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

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct posix_mutex *self = of(mutex);
    if (mutex_try(&self->mutex))
        return 0;
    if (mutex_held(&self->mutex))
        return lock_again(self, THREAD_FOREVER);
    mutex_lock_slow(&self->mutex);
    return 0;
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

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct posix_mutex *self = of(mutex);
    if (!mutex_held(&self->mutex))
        return EPERM;
    if (self->depth != 0)
        self->depth--;
    else
        mutex_unlock(&self->mutex);
    return 0;
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
