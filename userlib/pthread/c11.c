// SPDX-License-Identifier: MIT
// C11's threads, over POSIX's.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

static int code(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

// ---- threads ------------------------------------------------------------------------------------

// Both functions have the same registers for argument and result, but not the same type.
struct beginning {
    thrd_start_t function;
    void *argument;
};

static void *begin(void *argument)
{
    struct beginning how = *(struct beginning *)argument;
    free(argument);
    return (void *)(intptr_t)how.function(how.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct beginning *how = malloc(sizeof(*how));
    if (how == NULL)
        return thrd_nomem;
    *how = (struct beginning){function, argument};
    int error = pthread_create(thread, NULL, begin, how);
    if (error != 0)
        free(how);
    return error == EAGAIN ? thrd_nomem : code(error);
}

int thrd_join(thrd_t thread, int *result)
{
    void *value;
    int error = pthread_join(thread, &value);
    if (error == 0 && result != NULL)
        *result = (int)(intptr_t)value;
    return code(error);
}

int thrd_detach(thrd_t thread)
{
    return code(pthread_detach(thread));
}

thrd_t thrd_current(void)
{
    return pthread_self();
}

int thrd_equal(thrd_t one, thrd_t other)
{
    return pthread_equal(one, other);
}

void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}

void thrd_yield(void)
{
    sched_yield();
}

int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return nanosleep(time, left) == 0 ? 0 : -2;
}

// ---- mutexes ------------------------------------------------------------------------------------

int mtx_init(mtx_t *mutex, int kind)
{
    pthread_mutexattr_t attributes;
    if ((kind & ~(mtx_plain | mtx_recursive | mtx_timed)) != 0)
        return thrd_error;
    pthread_mutexattr_init(&attributes);
    if ((kind & mtx_recursive) != 0)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    return code(pthread_mutex_init(mutex, &attributes));
}

void mtx_destroy(mtx_t *mutex)
{
    pthread_mutex_destroy(mutex);
}

int mtx_lock(mtx_t *mutex)
{
    return code(pthread_mutex_lock(mutex));
}

int mtx_trylock(mtx_t *mutex)
{
    return code(pthread_mutex_trylock(mutex));
}

int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict date)
{
    return code(pthread_mutex_timedlock(mutex, date));
}

int mtx_unlock(mtx_t *mutex)
{
    return code(pthread_mutex_unlock(mutex));
}

// ---- conditions, once, values -------------------------------------------------------------------

int cnd_init(cnd_t *condition)
{
    return code(pthread_cond_init(condition, NULL));
}

void cnd_destroy(cnd_t *condition)
{
    pthread_cond_destroy(condition);
}

int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return code(pthread_cond_wait(condition, mutex));
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                  const struct timespec *restrict date)
{
    return code(pthread_cond_timedwait(condition, mutex, date));
}

int cnd_signal(cnd_t *condition)
{
    return code(pthread_cond_signal(condition));
}

int cnd_broadcast(cnd_t *condition)
{
    return code(pthread_cond_broadcast(condition));
}

void call_once(once_flag *once, void (*function)(void))
{
    pthread_once(once, function);
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return code(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

int tss_set(tss_t key, void *value)
{
    return code(pthread_setspecific(key, value));
}
