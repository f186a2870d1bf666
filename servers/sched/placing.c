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

static u32 state_before(const struct proposal *proposal)
{
    return proposal->action == SCHED_MOVE     ? IS_ON(proposal->from)
           : proposal->action == SCHED_SPREAD ? SERVES_NOT(proposal->to)
                                              : SERVES(proposal->from);
}

static u32 state_after(const struct proposal *proposal)
{
    return proposal->action == SCHED_MOVE     ? IS_ON(proposal->to)
           : proposal->action == SCHED_SPREAD ? SERVES(proposal->to)
                                              : SERVES_NOT(proposal->from);
}

bool placing_allowed(const struct proposal *proposal)
{
    return limits_allow(proposal->pid, state_after(proposal));
}

// What a server's place becomes, from what it is.
static s64 change_spread(const struct proposal *proposal, struct sys_placement *place)
{
    struct sys_process_info info;
    s64 error = sys_place_get(proposal->pid, place);

    if (error == 0)
        error = sys_process_info(proposal->pid, &info);
    if (error != 0)
        return error;
    u64 cpus = place->cpus != 0 ? place->cpus : info.dispatchers;
    u32 spread = place->spread;
    *place = (struct sys_placement){.cpus = cpus | 1UL << proposal->to,
                                    .spread = spread | 1u << proposal->to};
    if (proposal->action == SCHED_GATHER)
        *place = (struct sys_placement){.cpus = cpus & ~(1UL << proposal->from),
                                        .spread = spread & ~(1u << proposal->from)};
    return 0;
}

s64 placing_do(const struct proposal *proposal)
{
    struct sys_placement place = {.cpus = 1UL << proposal->to};
    s64 error = proposal->action != SCHED_MOVE ? change_spread(proposal, &place) : 0;

    if (error == 0)
        error = sys_place(proposal->pid, &place);
    limits_note(proposal->pid, state_before(proposal));
    return error;
}
