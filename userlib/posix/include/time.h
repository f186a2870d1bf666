// SPDX-License-Identifier: MIT
// newlib's <time.h> with the clocks that this system has.
#ifndef _POSIX_TIMERS
#define _POSIX_TIMERS 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_CPUTIME 200809L
#endif
#include_next <time.h>
