// SPDX-License-Identifier: MIT
// Time base, microseconds, and the date.
#include <orrery/sys.h>
#include <user/time.h>

#define MILLION 1000000

u64 time_hz(void)
{
    static u64 hz;
    if (!hz) {
        struct sys_info info;
        hz = sys_info(&info) == 0 ? info.timebase_hz : 512 * MILLION;
    }
    return hz;
}

u64 time_from_us(u64 us)
{
    u64 hz = time_hz(), seconds = us / MILLION;
    return seconds > UINT64_MAX / 2 / hz ? UINT64_MAX / 2
                                         : seconds * hz + us % MILLION * hz / MILLION;
}

u64 time_to_us(u64 ticks)
{
    u64 hz = time_hz();
    return ticks / hz * MILLION + ticks % hz * MILLION / hz;
}

u64 time_after_us(u64 us)
{
    return time_now() + time_from_us(us);
}

u64 time_date_of(u64 ticks)
{
    static u64 at_zero;
    struct sys_info info;
    u64 hz = time_hz();
    if (at_zero == 0 && sys_info(&info) == 0)
        at_zero = info.date;
    return at_zero + ticks / hz * TIME_SECOND + ticks % hz * TIME_SECOND / hz;
}

u64 time_date(void)
{
    return time_date_of(time_now());
}
