// SPDX-License-Identifier: MIT
// Time since the machine's start, for programs without the posix library.
#include <sys/time.h>
#include <sys/times.h>
#include <user/time.h>

#define MILLION 1000000

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    u64 us = time_to_us(time_now());
    *time =
        (struct timeval){.tv_sec = (time_t)(us / MILLION), .tv_usec = (suseconds_t)(us % MILLION)};
    return 0;
}

clock_t times(struct tms *times)
{
    clock_t ticks = (clock_t)(time_to_us(time_now()) * CLOCKS_PER_SEC / MILLION);
    *times = (struct tms){.tms_utime = ticks};
    return ticks;
}
