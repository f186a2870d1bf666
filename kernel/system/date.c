// SPDX-License-Identifier: MIT
// The date: firmware tells it once, and the time base goes on from then.
#include <kernel/date.h>
#include <kernel/firmware.h>
#include <kernel/percpu.h>
#include <kernel/timer.h>

#define NS 1000000000UL

static u64 date_at_zero;

// Returns the days since 1970. The calendar repeats every 400 years; years begin in March here.
static u64 days_since_1970(u64 year, u64 month, u64 day)
{
    u64 march = (month + 9) % 12;

    year -= month <= 2;
    return year * 365 + year / 4 - year / 100 + year / 400 + (march * 153 + 2) / 5 + day - 1 -
           719468;
}

void date_init(void)
{
    u32 told[7]; // year, month, day, hour, minute, second, nanosecond

    if (rtas_call("get-time-of-day", 0, NULL, ARRAY_SIZE(told), told) != 0 || told[0] < 1970 ||
        told[1] < 1 || told[1] > 12)
        return;
    u64 ticks = timebase();
    u64 seconds =
        ((days_since_1970(told[0], told[1], told[2]) * 24 + told[3]) * 60 + told[4]) * 60 + told[5];
    date_at_zero =
        seconds * NS + told[6] - ticks / timebase_hz * NS - ticks % timebase_hz * NS / timebase_hz;
}

u64 date_of_boot(void)
{
    return date_at_zero;
}
