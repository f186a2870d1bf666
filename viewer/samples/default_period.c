// SPDX-License-Identifier: MIT
// The thresholds of S000 §4.3.1: enough samples to be of use, at a cost that is not felt. An event
// that S000 does not have gets the threshold of one that happens about as often.
#include "samples/default_period.h"

#include <orrery/sys.h>
#include <string.h>

#define RARE 100000
#define FREQUENT 10000000

static const struct {
    const char *event;
    u64 period;
} thresholds[] = {
    {"instructions", FREQUENT}, {"cycles", 100000000}, {"branches", FREQUENT},
    {"taken", FREQUENT},        {"loads", FREQUENT},   {"stores", FREQUENT},
    {"mispredicted", FREQUENT}, {"larx", RARE},        {"stcx", RARE},
    {"stcx-failed", RARE},      {"itlb-miss", RARE},   {"dtlb-miss", RARE},
    {"l1i-miss", RARE},         {"l1d-miss", RARE},    {"l2-miss", RARE},
};

u64 threshold_default(const char *event)
{
    for (size_t i = 0; i < ARRAY_SIZE(thresholds); i++)
        if (strcmp(thresholds[i].event, event) == 0)
            return thresholds[i].period;
    return RARE;
}

u32 threshold_randomise(u64 period, u32 wanted)
{
    u32 bits = wanted;
    while (bits > 0 && ((1UL << bits) >= period || period + (1UL << bits) > SYS_PERIOD_MAX + 1UL))
        bits--;
    return bits;
}
