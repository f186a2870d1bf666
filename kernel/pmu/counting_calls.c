// SPDX-License-Identifier: MIT
// The calls of orrery/pmu.h.
#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/process.h>
#include <pmu/events.h>
#include <stdio.h>

#include "counting.h"

static void describe(u32 event, const struct pmu_offer *offer, struct sys_pmu_event *to)
{
    const struct pmu_event *from = &pmu_events[event];
    *to = (struct sys_pmu_event){
        .event = event,
        .modelled = (offer->exact >> event & 1) == 0,
        .counters = offer->counters[event],
    };
    snprintf(to->name, sizeof(to->name), "%s", from->name);
    snprintf(to->unit, sizeof(to->unit), "%s", from->unit == PMU_UNIT_MODEL ? "model" : "driver");
    snprintf(to->meaning, sizeof(to->meaning), "%s", from->meaning);
}

s64 sys_pmu_event_get(u32 index, struct sys_pmu_event *event)
{
    struct pmu_offer offer;
    counting_offer(&offer);
    for (u32 number = 0; number < PMU_EVENTS; number++) {
        if (offer.counters[number] != 0 && index-- == 0) {
            describe(number, &offer, event);
            return 0;
        }
    }
    return E_NOENT;
}

s64 sys_pmu_count_start(const struct sys_pmu_counting *counting, char *message, u64 bytes)
{
    return CO_CALL(struct pmu_counting, pmu_counting, start, counting, message, bytes);
}

static void counter_ends(struct process *process)
{
    CO_CALL(struct pmu_counting, pmu_counting, process_ends, process_pid(process));
}
PROCESS_END_HOOK(counter_ends);

_Static_assert(SYS_PMU_ITEMS * sizeof(struct sys_pmu_count) == 5120, "syscalls.def");

s64 sys_pmu_count_read(s64 session, u32 cpu, struct sys_pmu_count *counts, u64 bytes)
{
    return CO_CALL(struct pmu_counting, pmu_counting, read, session, cpu, counts, bytes);
}

s64 sys_pmu_count_tasks(s64 session, u32 cpu, u64 *cursor, void *buffer, u64 bytes)
{
    return CO_CALL(struct pmu_counting, pmu_counting, tasks, session, cpu, cursor, buffer, bytes);
}

s64 sys_pmu_count_open(s64 session, u8 counters[SYS_PMU_ITEMS])
{
    s64 error = CO_CALL(struct pmu_counting, pmu_counting, places, session, counters);
    if (error != 0)
        return error;
    return fcm_hand_out(
        fcm_create_physical("model unit", virt_to_phys(model_machine()), MODEL_PAGE_BYTES));
}

s64 sys_pmu_exclude(u32 pid, bool excluded)
{
    if (pid == 0)
        return E_INVAL;
    return model_present() ? process_set_excluded(pid, excluded) : E_NOTSUP;
}

s64 sys_pmu_count_stop(s64 session)
{
    return CO_CALL(struct pmu_counting, pmu_counting, stop, session);
}

s64 sys_pmu_count_trace(s64 session, u64 majors)
{
    return CO_CALL(struct pmu_counting, pmu_counting, trace, session, majors);
}
