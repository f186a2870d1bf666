// SPDX-License-Identifier: MIT
// POSIX's condition variables. One may be destroyed as soon as all its threads have been woken, so
// it counts those that are still to look at it.
#include "objects.h"

#include <errno.h>
#include <posix/deadline.h>

#define DESTROY_US 100 // between two looks

static struct posix_condition *of(pthread_cond_t *condition)
{
    return (struct posix_condition *)condition;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    bool monotonic = attributes != NULL && attributes->__monotonic;
    *of(condition) = (struct posix_condition){.monotonic = monotonic};
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition)
{
    while (__atomic_load_n(&of(condition)->users, __ATOMIC_ACQUIRE) != 0)
        thread_sleep_us(DESTROY_US);
    return 0;
}

// A recursive mutex is given back altogether.
static int wait_until(struct posix_condition *self, struct posix_mutex *mutex, u64 deadline)
{
    if (!mutex_held(&mutex->mutex))
        return EPERM;
    u64 depth = mutex->depth, *sequence = &self->condition.sequence;
    u64 before = __atomic_load_n(sequence, __ATOMIC_RELAXED);
    __atomic_fetch_add(&self->users, 1, __ATOMIC_RELAXED);
    mutex->depth = 0;
    mutex_unlock(&mutex->mutex);
    s64 result = condition_sleep_until(&self->condition, before, deadline);
    __atomic_fetch_sub(&self->users, 1, __ATOMIC_RELEASE);
    mutex_lock(&mutex->mutex);
    mutex->depth = depth;
    return result == E_TIMEOUT ? ETIMEDOUT : 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait_until(of(condition), (struct posix_mutex *)mutex, THREAD_FOREVER);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *date)
{
    struct posix_condition *self = of(condition);
    u64 deadline;
    int error = posix_deadline(self->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, date, &deadline);
    return error != 0 ? error : wait_until(self, (struct posix_mutex *)mutex, deadline);
}

// Whoever waits has counted itself with its mutex held, so who had that mutex since sees it.
static bool is_used(const struct posix_condition *self)
{
    return __atomic_load_n(&self->users, __ATOMIC_RELAXED) != 0;
}

int pthread_cond_signal(pthread_cond_t *condition)
{
    if (is_used(of(condition)))
        condition_signal(&of(condition)->condition);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    if (is_used(of(condition)))
        condition_broadcast(&of(condition)->condition);
    return 0;
}

int pthread_condattr_init(pthread_condattr_t *attributes)
{
    *attributes = (pthread_condattr_t){0};
    return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    attributes->__monotonic = clock == CLOCK_MONOTONIC;
    return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *restrict attributes,
                              clockid_t *restrict clock)
{
    *clock = attributes->__monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return 0;
}
