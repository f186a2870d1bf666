// SPDX-License-Identifier: MIT
// POSIX's semaphores, over the library's.
#include <posix/deadline.h>
#include <posix/fd.h>

#include <errno.h>
#include <limits.h>
#include <semaphore.h>

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

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict date)
{
    u64 deadline;
    if (semaphore_try(&semaphore->semaphore))
        return 0;
    int error = posix_deadline(CLOCK_REALTIME, date, &deadline);
    if (error != 0)
        return (int)posix_result(-error);
    if (semaphore_down_until(&semaphore->semaphore, deadline) != 0)
        return (int)posix_result(-ETIMEDOUT);
    return 0;
}

int sem_post(sem_t *semaphore)
{
    bool done = semaphore_up_below(&semaphore->semaphore, SEM_VALUE_MAX);
    return done ? 0 : (int)posix_result(-EOVERFLOW);
}

int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    *value = (int)__atomic_load_n(&semaphore->semaphore.count, __ATOMIC_RELAXED);
    return 0;
}
