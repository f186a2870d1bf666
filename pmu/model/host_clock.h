// SPDX-License-Identifier: MIT
// The host's clock.
#ifndef MODEL_HOST_CLOCK_H
#define MODEL_HOST_CLOCK_H

#include <orrery/types.h>
#include <time.h>

// Returns nanoseconds since some time in the past; never goes back.
static inline u64 host_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (u64)time.tv_sec * 1000000000UL + (u64)time.tv_nsec;
}

#endif
