// SPDX-License-Identifier: MIT
#include <errno.h>
#include <posix/deadline.h>
#include <user/thread.h>
#include <user/time.h>

#define NS TIME_SECOND

static u64 ticks_of(const struct timespec *time)
{
    u64 hz = time_hz();
    return (u64)time->tv_sec * hz + ((u64)time->tv_nsec * hz + NS - 1) / NS;
}

static u64 date_deadline(const struct timespec *date)
{
    u64 now = time_date(), then = (u64)date->tv_sec * NS + (u64)date->tv_nsec;
    return then <= now ? 0 : time_after_us((then - now + 999) / 1000);
}

int posix_deadline(clockid_t clock, const struct timespec *time, u64 *deadline)
{
    u64 most = UINT64_MAX / (clock == CLOCK_MONOTONIC ? time_hz() : NS) - 1;
    if (time->tv_nsec < 0 || time->tv_nsec >= (long)NS)
        return EINVAL;
    if (time->tv_sec < 0)
        *deadline = 0;
    else if ((u64)time->tv_sec >= most)
        *deadline = THREAD_FOREVER;
    else
        *deadline = clock == CLOCK_MONOTONIC ? ticks_of(time) : date_deadline(time);
    return 0;
}
