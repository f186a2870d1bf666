// SPDX-License-Identifier: MIT
// Chooses the group that is due first in virtual time.
#include <pmu/rotate.h>

#define AGE_UNIT 256UL
#define LONGEST 32 // slices

// xorshift64; the state is never 0.
static u64 next_random(u64 *state)
{
    u64 x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x;
}

// Returns what a group ages by in time, which is at most 2^35: no more than 2^63.
static u64 aging(const struct pmu_rotation *rotation, u32 group, u64 time)
{
    return time * (AGE_UNIT * PMU_WHOLE_TIME) / rotation->share[group];
}

static void set_due(struct pmu_rotation *rotation, u32 group)
{
    u64 place = (rotation->slice * (next_random(&rotation->random) >> 40)) >> 24;
    rotation->due[group] = rotation->age[group] + aging(rotation, group, place);
}

void pmu_rotation_begin(struct pmu_rotation *rotation, const struct pmu_allocation *allocation,
                        u64 slice, u64 seed)
{
    // Adjacent seeds must not give similar orders.
    u64 state = (seed + 1) * 0x9e3779b97f4a7c15UL;
    *rotation = (struct pmu_rotation){
        .groups = allocation->groups,
        .slice = slice,
        .random = state != 0 ? state : 1,
    };
    for (u32 group = 0; group < rotation->groups; group++) {
        rotation->share[group] = allocation->group[group].share;
        set_due(rotation, group);
    }
}

u32 pmu_rotation_next(const struct pmu_rotation *rotation)
{
    u32 next = 0;
    for (u32 group = 1; group < rotation->groups; group++) {
        if (rotation->due[group] < rotation->due[next])
            next = group;
    }
    return next;
}

// Even a slice of length 0 moves its group on, so that the others' turns come.
void pmu_rotation_ran(struct pmu_rotation *rotation, u32 group, u64 time)
{
    u64 most = LONGEST * rotation->slice;
    u64 counted = time == 0 ? 1 : time < most ? time : most;
    rotation->age[group] += aging(rotation, group, counted);
    set_due(rotation, group);
}
