// SPDX-License-Identifier: MIT
// POSIX's locks for readers and writers. Readers come in while others read, also when a writer
// waits: so a thread may read within reading.
#include "objects.h"

#include <errno.h>
#include <posix/deadline.h>

static struct posix_rwlock *of(pthread_rwlock_t *lock)
{
    return (struct posix_rwlock *)lock;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    *of(lock) = (struct posix_rwlock){0};
    return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    struct posix_rwlock *self = of(lock);
    mutex_lock(&self->mutex);
    bool busy = self->writer != NULL || self->readers != 0 || self->waiting != 0;
    mutex_unlock(&self->mutex);
    return busy ? EBUSY : 0;
}

static bool is_free(const struct posix_rwlock *self, bool writes)
{
    return self->writer == NULL && !(writes && self->readers != 0);
}

// Waits until it is free. With its mutex.
static int wait_free(struct posix_rwlock *self, bool writes, u64 deadline)
{
    s64 result = 0;
    if (self->writer == thread_current())
        return EDEADLK;
    self->waiting++;
    while (!is_free(self, writes) && result == 0)
        result = condition_wait_until(&self->condition, &self->mutex, deadline);
    self->waiting--;
    return is_free(self, writes) ? 0 : ETIMEDOUT;
}

// date NULL: for ever.
static int lock_until(struct posix_rwlock *self, bool writes, const struct timespec *date)
{
    u64 deadline = THREAD_FOREVER;
    mutex_lock(&self->mutex);
    int error = 0;
    if (!is_free(self, writes)) {
        error = date != NULL ? posix_deadline(CLOCK_REALTIME, date, &deadline) : 0;
        error = error != 0 ? error : wait_free(self, writes, deadline);
    }
    if (error == 0 && writes)
        self->writer = thread_current();
    else if (error == 0)
        self->readers++;
    mutex_unlock(&self->mutex);
    return error;
}

static int lock_now(struct posix_rwlock *self, bool writes)
{
    mutex_lock(&self->mutex);
    bool free = is_free(self, writes);
    if (free && writes)
        self->writer = thread_current();
    else if (free)
        self->readers++;
    mutex_unlock(&self->mutex);
    return free ? 0 : EBUSY;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return lock_until(of(lock), false, NULL);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return lock_until(of(lock), true, NULL);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *date)
{
    return lock_until(of(lock), false, date);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *date)
{
    return lock_until(of(lock), true, date);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return lock_now(of(lock), false);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return lock_now(of(lock), true);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct posix_rwlock *self = of(lock);
    int error = 0;
    mutex_lock(&self->mutex);
    if (self->writer == thread_current())
        self->writer = NULL;
    else if (self->writer == NULL && self->readers != 0)
        self->readers--;
    else
        error = EPERM;
    if (self->waiting != 0 && self->readers == 0)
        condition_broadcast(&self->condition);
    mutex_unlock(&self->mutex);
    return error;
}

int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes)
{
    *attributes = (pthread_rwlockattr_t){0};
    return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes)
{
    (void)attributes;
    return 0;
}
