// SPDX-License-Identifier: MIT
// Turns a caller's request to sample into the session's claim on the counters. Any context; nothing
// here locks or allocates.
#ifndef PMU_SAMPLING_REQUEST_H
#define PMU_SAMPLING_REQUEST_H

#include <orrery/sys.h>
#include <pmu/share.h>

// Events that fit the counters at once keep them and are sampled all the time. Others, and those of
// a session that gives way (SYS_SAMPLING_TURNS), take turns, measured in instructions.
struct sampling_plan {
    struct sys_sampling sampling;
    // Has the model unit's events; without items there are none. Takes turns unless steady.
    struct pmu_claim claim;
    // the item of each event; the item's source is the event's place + 1
    u8 item[SYS_SAMPLING_EVENTS];
    // the place of the event that the CPU's own unit samples; SYS_SAMPLING_EVENTS: none
    u32 cycles;
};

// Returns the number in pmu/events.h of a session's event; PMU_EVENTS: it is none.
u32 sampling_event_number(u32 event);

// Returns whether an event of that session may have this period. Takes any numbers.
bool sampling_period_valid(const struct sys_sampling *sampling, u64 period, u32 randomise);

// Makes *plan. cpus: those that exist. Returns 0, with an empty message, or E_INVAL or E_NOTSUP
// like sys_sampling_start, with *plan undefined and the reason in message, which ends in 0 and is
// cut to bytes (0: nothing is written).
s64 sampling_plan_make(const struct sys_sampling *sampling, const struct pmu_offer *offer, u32 cpus,
                       struct sampling_plan *plan, char *message, u64 bytes);

#endif
