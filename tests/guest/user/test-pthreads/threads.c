// SPDX-License-Identifier: MIT
// How threads begin and end, what is their own, and who comes after whom.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "calls.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static void *same(void *argument)
{
    return argument;
}

long joined(void)
{
    static char there;
    return elsewhere(same, &there) == &there;
}

static sem_t go, done;

static void *wait_go(void *argument)
{
    sem_wait(&go);
    sem_post(&done);
    return argument;
}

// Returns what joining gives.
long detached_by(bool attribute)
{
    pthread_attr_t how;
    pthread_t thread;
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how,
                                attribute ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    if (pthread_create(&thread, &how, wait_go, NULL) != 0)
        return -2;
    if (!attribute && pthread_detach(thread) != 0)
        return -3;
    long result = pthread_join(thread, NULL);
    if (pthread_detach(thread) != EINVAL)
        result = -4;
    sem_post(&go);
    sem_wait(&done);
    return result;
}

static void *use_stack(void *argument)
{
    size_t bytes = (size_t)argument / 2;
    volatile char *room = __builtin_alloca(bytes);
    memset((char *)room, 1, bytes);
    return room[0] == 1 && room[bytes - 1] == 1 ? argument : NULL;
}

long stack_has(unsigned long bytes)
{
    pthread_attr_t how;
    pthread_t thread;
    void *result = NULL;
    pthread_attr_init(&how);
    if (pthread_attr_setstacksize(&how, bytes) != 0 ||
        pthread_create(&thread, &how, use_stack, (void *)bytes) != 0 ||
        pthread_join(thread, &result) != 0)
        return -2;
    return result != NULL;
}

static void exit_with(void *argument)
{
    pthread_exit(argument);
}

static void *exit_inside(void *argument)
{
    exit_with(argument);
    return NULL;
}

long exits_inside(void)
{
    return elsewhere(exit_inside, &go) == &go;
}

static long order; // digits of the handlers that ran

static void note(void *argument)
{
    order = order * 10 + (long)argument;
}

static void *clean_up(void *argument)
{
    pthread_cleanup_push(note, (void *)1);
    pthread_cleanup_push(note, (void *)2);
    if (argument != NULL)
        pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    note((void *)2);
    return NULL;
}

long cleaned_up(bool exits)
{
    order = 0;
    elsewhere(clean_up, exits ? &order : NULL);
    return order;
}

// ---- values -------------------------------------------------------------------------------------

static pthread_key_t key;
static unsigned calls, wanted;

static void set_again(void *value)
{
    if (++calls < wanted)
        pthread_setspecific(key, value);
}

static void *set_value(void *argument)
{
    return pthread_setspecific(key, argument) == 0 ? argument : NULL;
}

// Returns how often the destructor was called, which sets the value again so often.
long destroys_values(unsigned rounds)
{
    calls = 0;
    wanted = rounds;
    if (pthread_key_create(&key, set_again) != 0 || elsewhere(set_value, &key) != &key)
        return -2;
    pthread_key_delete(key);
    return calls;
}

long value_of_new_key(void)
{
    pthread_key_t first, second;
    if (pthread_key_create(&first, NULL) != 0 || pthread_setspecific(first, &key) != 0 ||
        pthread_getspecific(first) != &key)
        return -2;
    pthread_key_delete(first);
    if (pthread_key_create(&second, NULL) != 0)
        return -3;
    bool good = pthread_getspecific(second) == NULL;
    pthread_key_delete(second);
    return good;
}

static void *see_none(void *argument)
{
    bool none = pthread_getspecific(key) == NULL && pthread_setspecific(key, argument) == 0;
    return none && pthread_getspecific(key) == argument ? argument : NULL;
}

long values_differ(void)
{
    if (pthread_key_create(&key, NULL) != 0 || pthread_setspecific(key, &calls) != 0)
        return -2;
    bool good = elsewhere(see_none, &wanted) == &wanted && pthread_getspecific(key) == &calls;
    pthread_key_delete(key);
    return good;
}

// The last one is EAGAIN.
long keys_there_are(void)
{
    static pthread_key_t many[2048];
    long count = 0;
    int error;
    while ((error = pthread_key_create(&many[count], NULL)) == 0)
        count++;
    for (long i = 0; i < count; i++)
        pthread_key_delete(many[i]);
    return error == EAGAIN ? count : -2;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned times;

static void one_time(void)
{
    sched_yield();
    times++;
}

static void *call_one_time(void *argument)
{
    return pthread_once(&once, one_time) == 0 && times == 1 ? argument : NULL;
}

long once_only(void)
{
    pthread_t threads[8];
    long good = 0;
    for (unsigned i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, call_one_time, &once);
    for (unsigned i = 0; i < 8; i++) {
        void *result = NULL;
        good += pthread_join(threads[i], &result) == 0 && result == &once;
    }
    return good == 8 && times == 1;
}

long name_kept(void)
{
    char name[32];
    return pthread_setname_np(pthread_self(), "tables") == 0 &&
           pthread_getname_np(pthread_self(), name, sizeof(name)) == 0 &&
           strcmp(name, "tables") == 0;
}

// ---- who comes after whom -----------------------------------------------------------------------

static bool has_come(clockid_t clock, const struct timespec *when)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > when->tv_sec ||
           (now.tv_sec == when->tv_sec && now.tv_nsec >= when->tv_nsec);
}

// A wait that is not signalled ends, with the mutex, and not before its time.
long condition_timed(clockid_t clock)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_condattr_t how;
    pthread_cond_t condition;
    struct timespec when = *in_ms(clock, 5);
    int error = 0;
    pthread_condattr_init(&how);
    if (pthread_condattr_setclock(&how, clock) != 0 || pthread_cond_init(&condition, &how) != 0)
        return -2;
    pthread_mutex_lock(&mutex);
    while (error == 0)
        error = pthread_cond_timedwait(&condition, &mutex, &when);
    bool good = error == ETIMEDOUT && has_come(clock, &when);
    good = good && pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_unlock(&mutex) == 0;
    return good && pthread_cond_destroy(&condition) == 0;
}

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool told;

static void *tell(void *argument)
{
    pthread_mutex_lock(&mutex);
    told = true;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return argument;
}

// Who waits with a recursive mutex gives it back, and has it afterwards.
long recursive_waits(void)
{
    pthread_mutexattr_t how;
    pthread_t thread;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &how);
    pthread_mutex_lock(&mutex);
    if (pthread_create(&thread, NULL, tell, NULL) != 0)
        return -2;
    while (!told)
        pthread_cond_wait(&condition, &mutex);
    bool good = pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == EPERM;
    return good && pthread_join(thread, NULL) == 0 && pthread_mutex_destroy(&mutex) == 0;
}

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write_once(void *argument)
{
    sem_post(&go);
    if (pthread_rwlock_wrlock(&lock) != 0)
        return NULL;
    order++;
    return pthread_rwlock_unlock(&lock) == 0 ? argument : NULL;
}

long writer_comes_after_readers(void)
{
    pthread_t thread;
    void *result = NULL;
    sem_init(&go, 0, 0);
    order = 0;
    if (pthread_rwlock_rdlock(&lock) != 0 || pthread_rwlock_rdlock(&lock) != 0 ||
        pthread_create(&thread, NULL, write_once, &lock) != 0)
        return -2;
    sem_wait(&go);
    usleep(2000);
    bool good = order == 0 && pthread_rwlock_unlock(&lock) == 0;
    usleep(2000);
    good = good && order == 0 && pthread_rwlock_unlock(&lock) == 0;
    return good && pthread_join(thread, &result) == 0 && result == &lock && order == 1;
}

static void *read_once(void *argument)
{
    sem_post(&go);
    if (pthread_rwlock_rdlock(&lock) != 0)
        return NULL;
    bool good = order == 9;
    return pthread_rwlock_unlock(&lock) == 0 && good ? argument : NULL;
}

long others_come_after_writer(void)
{
    pthread_t threads[3];
    long good = 0;
    sem_init(&go, 0, 0);
    order = 8;
    pthread_rwlock_wrlock(&lock);
    for (unsigned i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, read_once, &lock);
    for (unsigned i = 0; i < 3; i++)
        sem_wait(&go);
    usleep(2000);
    order++;
    pthread_rwlock_unlock(&lock);
    for (unsigned i = 0; i < 3; i++) {
        void *result = NULL;
        good += pthread_join(threads[i], &result) == 0 && result == &lock;
    }
    return good == 3 && pthread_rwlock_trywrlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0;
}
