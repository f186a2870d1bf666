// SPDX-License-Identifier: MIT
// Dates of calls that wait.
#ifndef POSIX_DEADLINE_H
#define POSIX_DEADLINE_H

#include <orrery/types.h>
#include <time.h>

// Turns a time of CLOCK_REALTIME or CLOCK_MONOTONIC into a deadline of the time base, 0 if it is
// over. Returns 0 or EINVAL: it has no such nanoseconds. Any context.
int posix_deadline(clockid_t clock, const struct timespec *time, u64 *deadline);

#endif
