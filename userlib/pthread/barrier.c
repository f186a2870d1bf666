// SPDX-License-Identifier: MIT
// POSIX's barriers. One may be destroyed as soon as it has let somebody go, so its end waits for
// those that are still to leave.
#include "objects.h"

#include <errno.h>

static struct posix_barrier *of(pthread_barrier_t *barrier)
{
    return (struct posix_barrier *)barrier;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                         unsigned count)
{
    (void)attributes;
    if (count == 0)
        return EINVAL;
    *of(barrier) = (struct posix_barrier){.needed = count};
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct posix_barrier *self = of(barrier);
    mutex_lock(&self->mutex);
    bool busy = self->arrived != 0;
    while (!busy && self->inside != 0)
        condition_wait(&self->condition, &self->mutex);
    mutex_unlock(&self->mutex);
    return busy ? EBUSY : 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct posix_barrier *self = of(barrier);
    mutex_lock(&self->mutex);
    u64 phase = self->phase;
    self->inside++;
    bool last = ++self->arrived == self->needed;
    if (last) {
        self->arrived = 0;
        self->phase++;
        condition_broadcast(&self->condition);
    }
    while (self->phase == phase)
        condition_wait(&self->condition, &self->mutex);
    if (--self->inside == 0)
        condition_broadcast(&self->condition);
    mutex_unlock(&self->mutex);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attributes)
{
    *attributes = (pthread_barrierattr_t){0};
    return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes)
{
    (void)attributes;
    return 0;
}
