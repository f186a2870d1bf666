// SPDX-License-Identifier: MIT
// The counters of a session in the kernel's trace. One group counts all the time, from 0, the same
// on all of the session's CPUs: what a counter says is the count.
#include "counting_trace.h"

#include <kernel/model_unit.h>
#include <orrery/errors.h>
#include <trace/counters.h>
#include <trace/events.h>

_Static_assert(SYS_PMU_TRACED == TRACE_MAX_WORDS, "what an event holds");

static u32 items;
static u32 counter_of[TRACE_MAX_WORDS];
static bool traced;

static bool read_counters(u64 values[TRACE_MAX_WORDS])
{
    u64 all[MODEL_COUNTERS];
    // A CPU that the session leaves out counts nothing.
    if (model_slot()->enabled == 0 || model_read(all) != 0)
        return false;
    for (u32 i = 0; i < items; i++)
        values[i] = all[counter_of[i]];
    return true;
}

static u32 find_counter(const struct counting_plan *plan, u32 item)
{
    const struct pmu_group *group = &plan->allocation.group[0];
    u32 counter = 0;
    while (group->item[counter] != plan->place[item])
        counter++;
    return counter;
}

static void counters_tell(const struct counting_plan *plan)
{
    for (u32 i = 0; i < items; i++) {
        const struct pmu_item *item = &plan->request.item[plan->place[i]];
        trace_counter(i, item->event, item->filter & (SYS_PMU_KERNEL | SYS_PMU_USER));
    }
}

s64 counting_trace_set(const struct counting_plan *plan, u64 majors)
{
    if (majors != 0 && (plan->allocation.groups != 1 || plan->items > TRACE_MAX_WORDS))
        return E_LIMIT;
    if (majors == 0) {
        counting_trace_end();
        return 0;
    }
    for (u32 i = 0; i < plan->items; i++)
        counter_of[i] = find_counter(plan, i);
    items = plan->items;
    s64 error = trace_set_counters(majors, read_counters);
    if (error != 0)
        return error;
    traced = true;
    counters_tell(plan);
    return 0;
}

void counting_trace_end(void)
{
    if (!traced)
        return;
    trace_set_counters(0, NULL);
    traced = false;
}
