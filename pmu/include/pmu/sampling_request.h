// SPDX-License-Identifier: MIT
// From what a caller asks to sample to what the session claims of the counters. Any context;
// nothing here locks or allocates.
#ifndef PMU_SAMPLING_REQUEST_H
#define PMU_SAMPLING_REQUEST_H

#include <orrery/sys.h>
#include <pmu/share.h>

// Events that fit the counters at once are sampled all the time, and keep them; others, and those
// of a session that gives way (SYS_SAMPLING_TURNS), take turns, measured in instructions.
struct sampling_plan {
    struct sys_sampling sampling;
    // Of the model unit's events; without items: there are none of them. In turn unless steady.
    struct pmu_claim claim;
    u8 item[SYS_SAMPLING_EVENTS]; // of each of these: its item; its source is the event's place + 1
};

// The number of an event of a session by the list of pmu/events.h; PMU_EVENTS: it is none.
u32 sampling_event_number(u32 event);

// May an event of that session have this period? Any numbers.
bool sampling_period_valid(const struct sys_sampling *sampling, u64 period, u32 randomise);

// cpus: those that there are. 0, or an error, with *plan undefined and the reason in message, which
// ends in 0 and is cut to bytes (0: nothing is written); on success message is empty: E_INVAL,
// E_NOTSUP as sys_sampling_start.
s64 sampling_plan_make(const struct sys_sampling *sampling, const struct pmu_offer *offer, u32 cpus,
                       struct sampling_plan *plan, char *message, u64 bytes);

#endif
