// SPDX-License-Identifier: MIT
// POSIX's semaphores, over the library's.
#include <posix/fd.h>

#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <user/time.h>

#define NS TIME_SECOND

int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (shared != 0)
        return (int)posix_result(-ENOSYS);
    if (value > SEM_VALUE_MAX)
        return (int)posix_result(-EINVAL);
    *semaphore = (sem_t){.semaphore = SEMAPHORE_INITIALISER(value)};
    return 0;
}

int sem_destroy(sem_t *semaphore)
{
    (void)semaphore;
    return 0;
}

int sem_wait(sem_t *semaphore)
{
    semaphore_down(&semaphore->semaphore);
    return 0;
}

int sem_trywait(sem_t *semaphore)
{
    return semaphore_try(&semaphore->semaphore) ? 0 : (int)posix_result(-EAGAIN);
}

// Turns a date into a time of the time base.
static u64 deadline_of(const struct timespec *date)
{
    u64 now = time_date();
    if (date->tv_sec < 0)
        return 0;
    if ((u64)date->tv_sec >= UINT64_MAX / NS - 1)
        return THREAD_FOREVER;
    u64 then = (u64)date->tv_sec * NS + (u64)date->tv_nsec;
    return then <= now ? 0 : time_after_us((then - now + 999) / 1000);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict date)
{
    if (semaphore_try(&semaphore->semaphore))
        return 0;
    if (date->tv_nsec < 0 || date->tv_nsec >= (long)NS)
        return (int)posix_result(-EINVAL);
    if (semaphore_down_until(&semaphore->semaphore, deadline_of(date)) != 0)
        return (int)posix_result(-ETIMEDOUT);
    return 0;
}

int sem_post(sem_t *semaphore)
{
    semaphore_up(&semaphore->semaphore);
    return 0;
}

int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    *value = (int)__atomic_load_n(&semaphore->semaphore.count, __ATOMIC_RELAXED);
    return 0;
}
