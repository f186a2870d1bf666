// SPDX-License-Identifier: MIT
// What moves, spreads and gathers come to as places. For the limits each of them leads from one
// state of the process to another: to be on a CPU, or to serve there or not.
#include "placing.h"

#include "limits.h"

#include <orrery/place.h>
#include <orrery/sys.h>

#define IS_ON(cpu) (cpu)
#define SERVES_NOT(cpu) (SCHED_CPUS + (cpu))
#define SERVES(cpu) (2 * SCHED_CPUS + (cpu))

static u32 state_before(const struct wish *wish)
{
    return wish->action == SCHED_MOVE     ? IS_ON(wish->from)
           : wish->action == SCHED_SPREAD ? SERVES_NOT(wish->to)
                                          : SERVES(wish->from);
}

static u32 state_after(const struct wish *wish)
{
    return wish->action == SCHED_MOVE     ? IS_ON(wish->to)
           : wish->action == SCHED_SPREAD ? SERVES(wish->to)
                                          : SERVES_NOT(wish->from);
}

bool placing_allowed(const struct wish *wish)
{
    return limits_allow(wish->pid, state_after(wish));
}

// What a server's place becomes, from what it is.
static s64 change_spread(const struct wish *wish, struct sys_placement *place)
{
    struct sys_process_info info;
    s64 error = sys_place_get(wish->pid, place);

    if (error == 0)
        error = sys_process_info(wish->pid, &info);
    if (error != 0)
        return error;
    u64 cpus = place->cpus != 0 ? place->cpus : info.dispatchers;
    u32 spread = place->spread;
    *place =
        (struct sys_placement){.cpus = cpus | 1UL << wish->to, .spread = spread | 1u << wish->to};
    if (wish->action == SCHED_GATHER)
        *place = (struct sys_placement){.cpus = cpus & ~(1UL << wish->from),
                                        .spread = spread & ~(1u << wish->from)};
    return 0;
}

s64 placing_do(const struct wish *wish)
{
    struct sys_placement place = {.cpus = 1UL << wish->to};
    s64 error = wish->action != SCHED_MOVE ? change_spread(wish, &place) : 0;

    if (error == 0)
        error = sys_place(wish->pid, &place);
    limits_note(wish->pid, state_before(wish));
    return error;
}
