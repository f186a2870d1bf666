// SPDX-License-Identifier: MIT
// Time for tests: it stands still unless a test moves it.
#ifndef USER_TIME_H
#define USER_TIME_H

#include <orrery/types.h>

extern u64 host_time;
static inline u64 time_now(void)
{
    return host_time;
}

#define TIME_SECOND 1000000000UL
static inline u64 time_date(void)
{
    return time_now() * TIME_SECOND;
}

#endif
