// SPDX-License-Identifier: MIT
// What policies calculate.
#include "policy.h"

#include <string.h>

#define SLICES_A_STEP 2
#define STEPS_MAX 3

enum policy policy_named(const char *name)
{
    static const char *const names[POLICIES] = {"fixed", "growing", "starving"};
    u32 policy = 0;
    while (policy < POLICIES && strcmp(name, names[policy]) != 0)
        policy++;
    return (enum policy)policy;
}

u32 policy_longer(u32 slice_us)
{
    return 2 * slice_us < POLICY_SLICE_MAX_US ? 2 * slice_us : POLICY_SLICE_MAX_US;
}

u32 policy_lowered(const struct use *use, u32 priority)
{
    u64 steps = use->slices / SLICES_A_STEP;
    if (steps > STEPS_MAX)
        steps = STEPS_MAX;
    return steps < priority ? priority - (u32)steps : 0;
}

void policy_age(struct use *use, u64 period)
{
    u64 passed = period - use->period;
    use->slices = passed < 64 ? use->slices >> passed : 0;
    use->period = period;
}

void policy_waits(enum policy policy, struct use *use, u64 period)
{
    if (policy == POLICY_GROWING || period - use->period >= POLICY_STARVED_PERIODS)
        policy_age(use, period);
}

void policy_waited(enum policy policy, struct use *use, u64 period)
{
    policy_waits(policy, use, period);
    use->period = period; // of the starving, what passed while it waited does not count
}

void policy_charge(struct use *use, u64 period)
{
    policy_age(use, period);
    use->slices++;
}
