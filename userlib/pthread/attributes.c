// SPDX-License-Identifier: MIT
// Attributes of threads, and the one that all objects have: whether several processes use them.
// They do not.
#include <errno.h>
#include <pthread.h>
#include <user/thread.h>

#define GUARD 4096 // what there is, whatever is asked for

_Static_assert(PTHREAD_STACK_MIN == THREAD_STACK_MIN, "limits.h");

int pthread_attr_init(pthread_attr_t *attributes)
{
    *attributes = (pthread_attr_t){.__stack_bytes = THREAD_STACK_DEFAULT, .__guard_bytes = GUARD};
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes)
{
    (void)attributes;
    return 0;
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state)
{
    if (state != PTHREAD_CREATE_DETACHED && state != PTHREAD_CREATE_JOINABLE)
        return EINVAL;
    attributes->__detached = state;
    return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state)
{
    *state = attributes->__detached;
    return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes)
{
    if (bytes < THREAD_STACK_MIN || bytes > THREAD_STACK_MAX)
        return EINVAL;
    attributes->__stack_bytes = bytes;
    return 0;
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *bytes)
{
    *bytes = attributes->__stack_bytes;
    return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t bytes)
{
    attributes->__guard_bytes = bytes;
    return 0;
}

int pthread_attr_getguardsize(const pthread_attr_t *attributes, size_t *bytes)
{
    *bytes = attributes->__guard_bytes;
    return 0;
}

// The library makes the stacks.
int pthread_attr_setstack(pthread_attr_t *attributes, void *stack, size_t bytes)
{
    (void)attributes, (void)stack, (void)bytes;
    return ENOTSUP;
}

int pthread_attr_setschedparam(pthread_attr_t *attributes, const struct sched_param *param)
{
    (void)attributes;
    return param->sched_priority == 0 ? 0 : ENOTSUP;
}

int pthread_attr_getschedparam(const pthread_attr_t *attributes, struct sched_param *param)
{
    (void)attributes;
    *param = (struct sched_param){0};
    return 0;
}

// ---- shared by processes ------------------------------------------------------------------------

static int set_shared(int shared)
{
    if (shared == PTHREAD_PROCESS_SHARED)
        return ENOTSUP;
    return shared == PTHREAD_PROCESS_PRIVATE ? 0 : EINVAL;
}

#define SHARED_ATTRIBUTE(name)                                                                     \
    int pthread_##name##_setpshared(pthread_##name##_t *attributes, int shared)                    \
    {                                                                                              \
        (void)attributes;                                                                          \
        return set_shared(shared);                                                                 \
    }                                                                                              \
    int pthread_##name##_getpshared(const pthread_##name##_t *attributes, int *shared)             \
    {                                                                                              \
        (void)attributes;                                                                          \
        *shared = PTHREAD_PROCESS_PRIVATE;                                                         \
        return 0;                                                                                  \
    }

SHARED_ATTRIBUTE(mutexattr)
SHARED_ATTRIBUTE(condattr)
SHARED_ATTRIBUTE(rwlockattr)
SHARED_ATTRIBUTE(barrierattr)
