// SPDX-License-Identifier: MIT
// Types of newlib's <threads.h>: those of <pthread.h>.
#ifndef _MACHINE__THREADS_H_
#define _MACHINE__THREADS_H_

#include <sys/types.h>
#include <limits.h>

typedef pthread_t thrd_t;
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_key_t tss_t;
typedef pthread_once_t once_flag;

#define ONCE_FLAG_INIT _PTHREAD_ONCE_INIT
#define TSS_DTOR_ITERATIONS PTHREAD_DESTRUCTOR_ITERATIONS

#endif
