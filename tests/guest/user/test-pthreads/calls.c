// SPDX-License-Identifier: MIT
// What calls return: calls.def.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "calls.h"
#include "table.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t held[3], foreign, foreign_recursive, free_check;
static pthread_mutex_t unheld = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutexattr_t mutex_how;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_condattr_t condition_how;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t read_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_key_t deleted;
static pthread_attr_t how;
static char text[8];

const struct timespec *in_ms(clockid_t clock, long milliseconds)
{
    static struct timespec when;
    clock_gettime(clock, &when);
    long ns = when.tv_nsec + milliseconds % 1000 * 1000000;
    when.tv_sec += milliseconds / 1000 + (ns >= 1000000000) - (ns < 0);
    when.tv_nsec = (ns + 1000000000) % 1000000000;
    return &when;
}

void *elsewhere(void *(*function)(void *argument), void *argument)
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, function, argument) != 0 ||
        pthread_join(thread, &result) != 0)
        return NULL;
    return result;
}

// ---- what the rows use --------------------------------------------------------------------------

static void make_mutex(pthread_mutex_t *mutex, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

// It ends, and keeps them.
static void *hold_foreign(void *argument)
{
    pthread_mutex_lock(&foreign);
    pthread_mutex_lock(&foreign_recursive);
    return argument;
}

void table_prepare(void)
{
    for (int kind = 0; kind < 3; kind++) {
        make_mutex(&held[kind], kind);
        pthread_mutex_lock(&held[kind]);
    }
    make_mutex(&foreign, PTHREAD_MUTEX_ERRORCHECK);
    make_mutex(&foreign_recursive, PTHREAD_MUTEX_RECURSIVE);
    make_mutex(&free_check, PTHREAD_MUTEX_ERRORCHECK);
    elsewhere(hold_foreign, NULL);
    pthread_mutexattr_init(&mutex_how);
    pthread_condattr_init(&condition_how);
    pthread_attr_init(&how);
    pthread_rwlock_wrlock(&written);
    pthread_key_create(&deleted, NULL);
    pthread_key_delete(deleted);
}

static long mutex_kind(void)
{
    int kind = -1;
    return pthread_mutexattr_gettype(&mutex_how, &kind) == 0 ? kind : -2;
}

static long timed_wait(int kind, const struct timespec *date)
{
    return pthread_cond_timedwait(&condition, &held[kind], date);
}

static long condition_clock(void)
{
    clockid_t clock;
    return pthread_condattr_getclock(&condition_how, &clock) == 0 ? (long)clock : -2;
}

static long attribute_state(void)
{
    int state = -1;
    return pthread_attr_getdetachstate(&how, &state) == 0 ? state : -2;
}

static long attribute_stack(void)
{
    size_t bytes = 0;
    return pthread_attr_getstacksize(&how, &bytes) == 0 ? (long)bytes : -2;
}

static long attribute_guard(void)
{
    size_t bytes = 0;
    return pthread_attr_getguardsize(&how, &bytes) == 0 ? (long)bytes : -2;
}

static long sem_at_most(void)
{
    sem_t semaphore;
    int value = 0;
    sem_init(&semaphore, 0, SEM_VALUE_MAX - 1);
    if (sem_post(&semaphore) != 0)
        return -2;
    errno = 0;
    int result = sem_post(&semaphore), error = errno;
    sem_getvalue(&semaphore, &value);
    return result == -1 && value == SEM_VALUE_MAX ? error : -3;
}

// ---- the table ----------------------------------------------------------------------------------

#define NAME(line) row_##line
#define CALL(line) NAME(line)

#define ROW(expression, value)                                                                     \
    static long CALL(__LINE__)(void)                                                               \
    {                                                                                              \
        return (long)(expression);                                                                 \
    }
#include "calls.def"
#undef ROW

#define ROW(expression, value) {#expression, CALL(__LINE__), value},
const struct call table_calls[] = {
#include "calls.def"
};
const unsigned table_count = sizeof(table_calls) / sizeof(table_calls[0]);

bool table_holds(const struct call *row, char why[TABLE_TEXT_BYTES])
{
    long value = row->call();
    snprintf(why, TABLE_TEXT_BYTES, "%s: %ld, and not %ld", row->text, value, row->value);
    return value == row->value;
}
