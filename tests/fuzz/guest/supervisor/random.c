// SPDX-License-Identifier: MIT
// Random numbers: the same ones for the same seed.
#include "supervisor.h"

static u64 state = 1;

void random_seed(u64 seed)
{
    state = seed * 0x9e3779b97f4a7c15UL | 1;
    for (u32 i = 0; i < 8; i++)
        random_next();
}

u64 random_next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

u64 random_below(u64 limit)
{
    return random_next() % limit;
}

bool random_percent(u32 percent)
{
    return random_below(100) < percent;
}
