// SPDX-License-Identifier: MIT
// What usage costs.
#include "usage.h"

#define SLICES_A_STEP 2
#define STEPS_MAX 3

u32 usage_longer(u32 slice_us)
{
    return 2 * slice_us < USAGE_SLICE_MAX_US ? 2 * slice_us : USAGE_SLICE_MAX_US;
}

u32 usage_lowered(const struct usage *usage, u32 priority)
{
    u64 steps = usage->slices / SLICES_A_STEP;
    if (steps > STEPS_MAX)
        steps = STEPS_MAX;
    return steps < priority ? priority - (u32)steps : 0;
}

void usage_decay(struct usage *usage, u64 period)
{
    u64 passed = period - usage->period;
    usage->slices = passed < 64 ? usage->slices >> passed : 0;
    usage->period = period;
}

void usage_decay_starved(struct usage *usage, u64 period)
{
    if (period - usage->period >= USAGE_STARVED_PERIODS)
        usage_decay(usage, period);
}

void usage_run_starved(struct usage *usage, u64 period)
{
    usage_decay_starved(usage, period);
    usage->period = period;
}

void usage_charge(struct usage *usage, u64 period)
{
    usage_decay(usage, period);
    usage->slices++;
}
