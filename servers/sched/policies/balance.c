// SPDX-License-Identifier: MIT
// Moves one process from the longest run queue to the shortest, when they differ by two in each of
// the readings: with a difference of one the move would only change which is longer.
#include "policy.h"

#define DIFFERENCE 2

static u32 sum_of(const struct view *view, u32 cpu)
{
    u32 sum = 0;

    for (u32 reading = 0; reading < SCHED_READINGS; reading++)
        sum += view->lengths[reading][cpu];
    return sum;
}

static bool differ_always(const struct view *view, u32 longest, u32 shortest)
{
    for (u32 reading = 0; reading < SCHED_READINGS; reading++) {
        const u8 *lengths = view->lengths[reading];
        if (lengths[longest] < lengths[shortest] + DIFFERENCE)
            return false;
    }
    return true;
}

// Returns the process on a CPU that has run most, as it surely waits there. NULL: there is none.
static const struct view_process *busiest(const struct view *view, u32 cpu)
{
    const struct view_process *best = NULL;

    for (u32 i = 0; i < view->count; i++) {
        const struct view_process *process = &view->processes[i];
        if (process->cpu == cpu && process->permille > (best != NULL ? best->permille : 0))
            best = process;
    }
    return best;
}

static bool decide(const struct view *view, struct proposal *proposal)
{
    u32 longest = 0, shortest = 0;

    for (u32 cpu = 1; cpu < view->cpus; cpu++) {
        if (sum_of(view, cpu) > sum_of(view, longest))
            longest = cpu;
        if (sum_of(view, cpu) < sum_of(view, shortest))
            shortest = cpu;
    }
    const struct view_process *process = busiest(view, longest);
    if (process == NULL || !differ_always(view, longest, shortest))
        return false;
    *proposal =
        (struct proposal){.pid = process->pid, .from = longest, .to = shortest, .pair = VIEW_PAIRS};
    return true;
}

const struct policy policy_balance = {.name = "balance", .decide = decide};
