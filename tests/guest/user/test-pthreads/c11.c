// SPDX-License-Identifier: MIT
// C11's threads.
#include "calls.h"

#include <stddef.h>
#include <threads.h>

static int add_one(void *argument)
{
    return *(int *)argument + 1;
}

static int exit_with(void *argument)
{
    thrd_yield();
    thrd_exit(-*(int *)argument);
}

long c11_joined(void)
{
    thrd_t one, two;
    int number = 41, first = 0, second = 0;
    if (thrd_create(&one, add_one, &number) != thrd_success ||
        thrd_create(&two, exit_with, &number) != thrd_success)
        return -2;
    bool good = !thrd_equal(one, two) && thrd_equal(thrd_current(), thrd_current());
    return good && thrd_join(one, &first) == thrd_success &&
           thrd_join(two, &second) == thrd_success && first == 42 && second == -41;
}

static int try_to_lock(void *mutex)
{
    return mtx_trylock(mutex);
}

static int trial_of_another(mtx_t *mutex)
{
    thrd_t thread;
    int result = -1;
    if (thrd_create(&thread, try_to_lock, mutex) == thrd_success)
        thrd_join(thread, &result);
    return result;
}

long c11_mutex(int kind)
{
    mtx_t mutex;
    int again = (kind & mtx_recursive) != 0 ? thrd_success : thrd_busy;
    if (mtx_init(&mutex, kind) != thrd_success || mtx_lock(&mutex) != thrd_success)
        return -2;
    bool good = mtx_trylock(&mutex) == again && trial_of_another(&mutex) == thrd_busy;
    if (again == thrd_success)
        good = good && mtx_unlock(&mutex) == thrd_success && trial_of_another(&mutex) == thrd_busy;
    good = good && mtx_unlock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_success &&
           mtx_unlock(&mutex) == thrd_success;
    mtx_destroy(&mutex);
    return good;
}

static mtx_t mutex;
static cnd_t condition;
static bool told;

long c11_timed(void)
{
    struct timespec date = *in_ms(CLOCK_REALTIME, 2);
    if (mtx_init(&mutex, mtx_timed) != thrd_success || cnd_init(&condition) != thrd_success)
        return -2;
    bool good = mtx_timedlock(&mutex, &date) == thrd_success;
    int result = thrd_success;
    while (result == thrd_success)
        result = cnd_timedwait(&condition, &mutex, &date);
    good = good && result == thrd_timedout && mtx_timedlock(&mutex, &date) == thrd_timedout;
    cnd_destroy(&condition);
    return good && mtx_unlock(&mutex) == thrd_success;
}

static int tell(void *argument)
{
    (void)argument;
    mtx_lock(&mutex);
    told = true;
    cnd_broadcast(&condition);
    cnd_signal(&condition);
    return mtx_unlock(&mutex);
}

long c11_condition(void)
{
    thrd_t thread;
    int result = -1;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    mtx_lock(&mutex);
    if (thrd_create(&thread, tell, NULL) != thrd_success)
        return -2;
    while (!told)
        cnd_wait(&condition, &mutex);
    bool good = mtx_unlock(&mutex) == thrd_success;
    good = good && thrd_join(thread, &result) == thrd_success && result == thrd_success;
    cnd_destroy(&condition);
    return good;
}

static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int made, destroyed;

static void make(void)
{
    made += tss_create(&key, NULL) == thrd_success;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int set(void *argument)
{
    return tss_get(key) == NULL && tss_set(key, argument) == thrd_success &&
           tss_get(key) == argument;
}

static bool set_elsewhere(int *value)
{
    thrd_t thread;
    int result = 0;
    return thrd_create(&thread, set, value) == thrd_success &&
           thrd_join(thread, &result) == thrd_success && result == 1;
}

long c11_values(void)
{
    int value = 7;
    call_once(&once, make);
    call_once(&once, make);
    bool good = made == 1 && set_elsewhere(&value) && destroyed == 0;
    tss_delete(key);
    good = good && tss_create(&key, destroy) == thrd_success && set_elsewhere(&value);
    tss_delete(key);
    return good && destroyed == 7;
}
