// SPDX-License-Identifier: MIT
// Time of day, clocks, sleeping.
#include <errno.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <user/thread.h>
#include <user/time.h>

#define NS TIME_SECOND

static struct timespec from_ns(u64 ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS), .tv_nsec = (long)(ns % NS)};
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    (void)zone;
    struct timespec now = from_ns(time_date());
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

// Returns the CPU time of the process, in ticks.
static u64 process_ticks(void)
{
    struct sys_process_info info[16];
    u32 self = (u32)sys_process_pid(0);
    u64 cursor = 0;
    s64 bytes;
    while ((bytes = sys_process_list(&cursor, info, sizeof(info))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(info[0]); i++) {
            if (info[i].pid == self)
                return info[i].cpu_ticks;
        }
    }
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_PROCESS_CPUTIME_ID) {
        errno = EINVAL;
        return -1;
    }
    if (clock == CLOCK_REALTIME) {
        *time = from_ns(time_date());
        return 0;
    }
    u64 ticks = clock == CLOCK_PROCESS_CPUTIME_ID ? process_ticks() : time_now(), hz = time_hz();
    *time =
        (struct timespec){.tv_sec = (time_t)(ticks / hz), .tv_nsec = (long)(ticks % hz * NS / hz)};
    return 0;
}

int clock_getres(clockid_t clock, struct timespec *resolution)
{
    (void)clock;
    *resolution = (struct timespec){.tv_nsec = (long)(NS / time_hz() + 1)};
    return 0;
}

clock_t times(struct tms *times)
{
    u64 ticks_a_tick = time_hz() / (u64)sysconf(_SC_CLK_TCK);
    *times = (struct tms){.tms_utime = (clock_t)(process_ticks() / ticks_a_tick)};
    return (clock_t)(time_now() / ticks_a_tick);
}

int getrusage(int whose, struct rusage *usage)
{
    if (whose != RUSAGE_SELF) {
        errno = whose == RUSAGE_CHILDREN ? ENOSYS : EINVAL;
        return -1;
    }
    u64 ticks = process_ticks(), hz = time_hz();
    *usage = (struct rusage){.ru_utime = {.tv_sec = (time_t)(ticks / hz),
                                          .tv_usec = (suseconds_t)(ticks % hz * 1000000 / hz)}};
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (time->tv_sec < 0 || time->tv_nsec < 0 || (u64)time->tv_nsec >= NS) {
        errno = EINVAL;
        return -1;
    }
    u64 hz = time_hz();
    u64 ticks = (u64)time->tv_nsec * hz / NS;
    u64 now = time_now();
    if ((u64)time->tv_sec > (UINT64_MAX - now - ticks) / hz)
        thread_sleep_until(THREAD_FOREVER - 1);
    else
        thread_sleep_until(now + ticks + (u64)time->tv_sec * hz);
    if (left != NULL)
        *left = (struct timespec){0};
    return 0;
}

int usleep(useconds_t microseconds)
{
    thread_sleep_us(microseconds);
    return 0;
}

unsigned sleep(unsigned seconds)
{
    thread_sleep_us((u64)seconds * 1000000);
    return 0;
}
