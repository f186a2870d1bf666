// SPDX-License-Identifier: MIT
// <limits.h> with the limits of threads and of characters.
#include_next <limits.h>

#ifndef _PTHREAD_LIMITS_H
#define _PTHREAD_LIMITS_H

#undef MB_LEN_MAX
#define MB_LEN_MAX 4 // of <uchar.h>

#define PTHREAD_KEYS_MAX 128
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
#define PTHREAD_STACK_MIN 0x2000 // THREAD_STACK_MIN of user/thread.h

#endif
