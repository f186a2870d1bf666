// SPDX-License-Identifier: MIT
// newlib's <pthread.h>, which declares what <sys/features.h> says is there, and the kinds of
// mutexes; docs/posix.md says what differs.
#define _UNIX98_THREAD_MUTEX_ATTRIBUTES 1
#include_next <pthread.h>
#include <limits.h>
