// SPDX-License-Identifier: MIT
// Time in ticks of the time base, which begins near machine start. Any context.
#ifndef USER_TIME_H
#define USER_TIME_H

#include <orrery/types.h>

static inline u64 time_now(void)
{
    u64 ticks;
    __asm__ volatile("mftb %0" : "=r"(ticks));
    return ticks;
}
u64 time_hz(void);         // ticks a second
u64 time_from_us(u64 us);  // ticks
u64 time_to_us(u64 ticks); // microseconds
u64 time_after_us(u64 us); // a deadline: now and so much
// Returns the date: nanoseconds since 1970 (UTC). Without a clock, 1970 is when the machine began.
u64 time_date(void);
u64 time_date_of(u64 ticks);     // the date at which the time base was that
#define TIME_SECOND 1000000000UL // of dates

#endif
