// SPDX-License-Identifier: MIT
// POSIX's and C11's threads by table. The last line is "test-pthreads: N passed, N failed".
// tests/unit/posix/threads.c holds the host's own library against the same table.
#include "table.h"

#include <errno.h>
#include <expect.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <user/thread.h>

static void *nothing(void *argument)
{
    return argument;
}

static s64 native(void *argument)
{
    pthread_key_t key = *(pthread_key_t *)argument;
    EXPECT(pthread_self() == thread_current());
    EXPECT(pthread_getspecific(key) == NULL);
    EXPECT(pthread_setspecific(key, argument) == 0 && pthread_getspecific(key) == argument);
    pthread_exit((void *)7);
}

// A thread of user/thread.h has values, too. They go by pthread_exit.
static void native_thread(void)
{
    pthread_key_t key;
    struct thread *thread;
    s64 result = 0;
    EXPECT(pthread_key_create(&key, NULL) == 0);
    EXPECT(thread_create(&thread, NULL, native, &key) == 0);
    EXPECT(thread_join(thread, &result) == 0 && result == 7);
    EXPECT(pthread_key_delete(key) == 0);
}

// What is so here alone.
static void here(void)
{
    pthread_attr_t how;
    pthread_mutexattr_t shared;
    pthread_spinlock_t spin;
    pthread_t thread;
    sem_t semaphore;
    EXPECT(pthread_cancel(pthread_self()) == ENOTSUP);
    EXPECT(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == ENOTSUP);
    EXPECT(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL) == ENOTSUP);
    pthread_testcancel();
    EXPECT(pthread_attr_init(&how) == 0 && pthread_mutexattr_init(&shared) == 0);
    EXPECT(pthread_attr_setstack(&how, &how, PTHREAD_STACK_MIN) == ENOTSUP);
    EXPECT(pthread_attr_setstacksize(&how, THREAD_STACK_MAX + 1) == EINVAL);
    EXPECT(pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == ENOTSUP);
    EXPECT(pthread_spin_init(&spin, PTHREAD_PROCESS_SHARED) == ENOTSUP);
    EXPECT(pthread_spin_init(&spin, 77) == EINVAL);
    EXPECT(sem_init(&semaphore, 1, 0) == -1 && errno == ENOSYS);
    for (int i = 0; i < 2; i++) // on each CPU in turn
        EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0 &&
               pthread_join(thread, NULL) == 0);
    native_thread();
}

// Ends last, and with it the process, with status 0.
static void *last(void *argument)
{
    EXPECT(pthread_join(argument, NULL) == 0);
    if (expect_report("test-pthreads") != 0)
        exit(1);
    return NULL;
}

int main(void)
{
    char why[TABLE_TEXT_BYTES];
    pthread_t thread;
    table_prepare();
    for (unsigned i = 0; i < table_count; i++)
        expect(table_holds(&table_calls[i], why), __FILE__, __LINE__, why);
    here();
    EXPECT(pthread_create(&thread, NULL, last, pthread_self()) == 0);
    pthread_exit(NULL);
}
