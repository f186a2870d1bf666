// SPDX-License-Identifier: MIT
// Cancellation: not here, no thread ends another. Handlers for a thread's own end are.
#include "objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int pthread_cancel(pthread_t thread)
{
    (void)thread;
    return ENOTSUP;
}

int pthread_setcancelstate(int state, int *before)
{
    (void)state, (void)before;
    return ENOTSUP;
}

int pthread_setcanceltype(int type, int *before)
{
    (void)type, (void)before;
    return ENOTSUP;
}

void pthread_testcancel(void)
{
}

void _pthread_cleanup_push(struct _pthread_cleanup_context *context, void (*routine)(void *),
                           void *argument)
{
    struct posix_thread *self = posix_thread_self();
    if (self == NULL) { // a thread of user/thread.h
        fputs("pthread_cleanup_push: no memory\n", stderr);
        abort();
    }
    *context = (struct _pthread_cleanup_context){
        ._routine = routine, ._arg = argument, ._previous = self->cleanup};
    self->cleanup = context;
}

void _pthread_cleanup_pop(struct _pthread_cleanup_context *context, int execute)
{
    posix_thread_find()->cleanup = context->_previous;
    if (execute)
        context->_routine(context->_arg);
}
