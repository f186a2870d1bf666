// SPDX-License-Identifier: MIT
// newlib's <sys/features.h> with the options that userlib/pthread supplies.
#include_next <sys/features.h>

#ifndef _PTHREAD_SYS_FEATURES_H
#define _PTHREAD_SYS_FEATURES_H

#define _POSIX_THREADS 200809L
#define _POSIX_TIMEOUTS 200809L
#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_BARRIERS 200809L
#define _POSIX_SPIN_LOCKS 200809L
#define _POSIX_READER_WRITER_LOCKS 200809L
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#define _POSIX_SEMAPHORES 200809L

#endif
