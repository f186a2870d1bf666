// SPDX-License-Identifier: MIT
// Remembers the placements of the last second, of which there are LIMIT_A_SECOND.
#include "limits.h"

#include <user/time.h>

static struct {
    u64 time; // 0: none
    u32 pid, from;
} placed[LIMIT_A_SECOND]; // a ring
static u32 next;

static bool within(u32 i, u64 ms)
{
    return placed[i].time != 0 && time_now() - placed[i].time < time_from_us(ms * 1000);
}

bool limits_rests(u32 pid)
{
    for (u32 i = 0; i < LIMIT_A_SECOND; i++)
        if (placed[i].pid == pid && within(i, LIMIT_AGAIN_MS))
            return true;
    return false;
}

bool limits_allow(u32 pid, u32 to)
{
    if (within(next, 1000) || limits_rests(pid)) // `next` is the oldest
        return false;
    for (u32 i = 0; i < LIMIT_A_SECOND; i++)
        if (placed[i].pid == pid && placed[i].from == to && within(i, LIMIT_BACK_MS))
            return false;
    return true;
}

void limits_note(u32 pid, u32 from)
{
    placed[next].time = time_now();
    placed[next].pid = pid;
    placed[next].from = from;
    next = (next + 1) % LIMIT_A_SECOND;
}
