// SPDX-License-Identifier: MIT
// Types of <pthread.h>, in place of newlib's: those are numbers of objects, these are the objects.
// What is in the words is in userlib/pthread/objects.h. <sys/types.h> includes this file, so it
// includes little itself.
#ifndef _SYS__PTHREADTYPES_H_
#define _SYS__PTHREADTYPES_H_

#include <stddef.h>
#include <sys/sched.h>

typedef struct thread *pthread_t; // a thread of user/thread.h
typedef unsigned pthread_key_t;

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_SCOPE_PROCESS 0
#define PTHREAD_SCOPE_SYSTEM 1

typedef struct {
    size_t __stack_bytes, __guard_bytes;
    int __detached;
} pthread_attr_t;

#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL

typedef struct {
    unsigned long __words[3];
} pthread_mutex_t;
typedef struct {
    int __kind;
} pthread_mutexattr_t;
#define __PTHREAD_MUTEX_OF(kind)                                                                   \
    {                                                                                              \
        {                                                                                          \
            0, 0, (kind)                                                                           \
        }                                                                                          \
    }
#define _PTHREAD_MUTEX_INITIALIZER __PTHREAD_MUTEX_OF(PTHREAD_MUTEX_NORMAL)
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP __PTHREAD_MUTEX_OF(PTHREAD_MUTEX_RECURSIVE)
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP __PTHREAD_MUTEX_OF(PTHREAD_MUTEX_ERRORCHECK)

typedef struct {
    unsigned long __words[3];
} pthread_cond_t;
typedef struct {
    int __monotonic;
} pthread_condattr_t;
#define _PTHREAD_COND_INITIALIZER                                                                  \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

typedef struct {
    unsigned long __words[5];
} pthread_rwlock_t;
typedef struct {
    int __nothing;
} pthread_rwlockattr_t;
#define _PTHREAD_RWLOCK_INITIALIZER _PTHREAD_COND_INITIALIZER

typedef struct {
    unsigned long __words[6];
} pthread_barrier_t;
typedef struct {
    int __nothing;
} pthread_barrierattr_t;

typedef struct {
    unsigned long __words[2];
} pthread_once_t;
#define _PTHREAD_ONCE_INIT _PTHREAD_COND_INITIALIZER

typedef unsigned pthread_spinlock_t;

#endif
