// SPDX-License-Identifier: MIT
// Time base and microseconds.
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
