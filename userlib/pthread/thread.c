// SPDX-License-Identifier: MIT
// POSIX's threads: threads of user/thread.h, with a record of what POSIX keeps besides.
#include "objects.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <user/scheduler.h>

static struct once slot_taken;
static s64 slot = E_LIMIT; // of struct thread, for the record
static u64 counted = 1;    // the first thread, and those that pthread_create has made
static u32 turn;           // of CPUs

// ---- the record ---------------------------------------------------------------------------------

static void take_slot(void)
{
    slot = thread_slot();
}

static bool have_slot(void)
{
    once_call(&slot_taken, take_slot);
    return slot >= 0;
}

struct posix_thread *posix_thread_find(void)
{
    return have_slot() ? thread_get((u32)slot) : NULL;
}

struct posix_thread *posix_thread_self(void)
{
    struct posix_thread *self = posix_thread_find();
    if (self != NULL || !have_slot())
        return self;
    self = calloc(1, sizeof(*self));
    if (self == NULL)
        return NULL;
    self->counted = thread_id(thread_current()) == 1;
    thread_set((u32)slot, self);
    return self;
}

// ---- beginning and end --------------------------------------------------------------------------

static void leave(void *result) __attribute__((noreturn));
static void leave(void *result)
{
    struct posix_thread *self = posix_thread_find();
    bool counts = self != NULL ? self->counted : thread_id(thread_current()) == 1;
    if (self != NULL) {
        posix_values_drop(self);
        thread_set((u32)slot, NULL);
        free(self);
    }
    if (counts && __atomic_sub_fetch(&counted, 1, __ATOMIC_ACQ_REL) == 0)
        exit(0);
    thread_exit((s64)result);
}

static s64 begin(void *argument)
{
    struct posix_thread *self = argument;
    thread_set((u32)slot, self);
    leave(self->function(self->argument));
}

void pthread_exit(void *result)
{
    struct posix_thread *self = posix_thread_find();
    while (self != NULL && self->cleanup != NULL) {
        struct _pthread_cleanup_context *context = self->cleanup;
        self->cleanup = context->_previous;
        context->_routine(context->_arg);
    }
    leave(result);
}

// Puts threads on all CPUs in turn, beginning with the next one: nobody else spreads them.
static s64 start(pthread_t *thread, struct thread_attributes *how, struct posix_thread *self)
{
    u32 cpus = user_cpu_count();
    how->cpu = (user_cpu() + 1 + __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED)) % cpus;
    s64 error = thread_create(thread, how, begin, self);
    if (error == 0 || error == E_INVAL)
        return error;
    how->cpu = THREAD_HERE; // that CPU is not ours, or has no memory for its dispatcher
    return thread_create(thread, how, begin, self);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*function)(void *argument), void *argument)
{
    struct thread_attributes how = THREAD_ATTRIBUTES;
    if (attributes != NULL) {
        how.stack_bytes = attributes->__stack_bytes;
        how.detached = attributes->__detached == PTHREAD_CREATE_DETACHED;
    }
    struct posix_thread *self = have_slot() ? calloc(1, sizeof(*self)) : NULL;
    if (self == NULL)
        return EAGAIN;
    *self = (struct posix_thread){.function = function, .argument = argument, .counted = true};
    __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
    s64 error = start(thread, &how, self);
    if (error == 0)
        return 0;
    __atomic_sub_fetch(&counted, 1, __ATOMIC_RELAXED);
    free(self);
    return error == E_INVAL ? EINVAL : EAGAIN;
}

int pthread_join(pthread_t thread, void **result)
{
    s64 value = 0;
    if (thread == thread_current())
        return EDEADLK;
    if (thread_join(thread, &value) != 0)
        return EINVAL;
    if (result != NULL)
        *result = (void *)value;
    return 0;
}

int pthread_detach(pthread_t thread)
{
    return thread_detach(thread) == 0 ? 0 : EINVAL;
}

pthread_t pthread_self(void)
{
    return thread_current();
}

int pthread_equal(pthread_t one, pthread_t other)
{
    return one == other;
}

int pthread_once(pthread_once_t *once, void (*function)(void))
{
    once_call((struct once *)once, function);
    return 0;
}

// There is no fork.
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare, (void)parent, (void)child;
    return 0;
}

int pthread_getname_np(pthread_t thread, char *name, size_t bytes)
{
    size_t length = strlen(thread_name(thread));
    if (length >= bytes)
        return ERANGE;
    memcpy(name, thread_name(thread), length + 1);
    return 0;
}

int pthread_setname_np(pthread_t thread, const char *name)
{
    if (strlen(name) > THREAD_NAME_MAX)
        return ERANGE;
    thread_set_name(thread, name);
    return 0;
}

int sched_yield(void)
{
    thread_yield();
    return 0;
}

void pthread_yield(void)
{
    thread_yield();
}

int sched_getcpu(void)
{
    return (int)user_cpu();
}
