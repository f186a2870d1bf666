// SPDX-License-Identifier: MIT
// The counters of a session in the kernel's trace. Each event has the counts so far on its CPU. The
// session must count all the time.
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>
#include <trace/counters.h>
#include <trace/events.h>

#include "counting_session.h"

_Static_assert(SYS_PMU_TRACED == TRACE_MAX_WORDS, "what an event holds");

static const struct counting_session *traced; // NULL: none
static u32 counter_of[TRACE_MAX_WORDS];

// Reads the counters for an event. Returns false on a CPU that the session leaves out. Also on a
// CPU between two plans: there an interrupt that cannot wait has no counts to read.
static bool read_counters(u64 values[TRACE_MAX_WORDS])
{
    const struct pmu_tally *tally = &traced->claimed.tally[cpu_id()];
    u64 all[PMU_COUNTERS] = {0};
    if (!tally->begun || tally->error != 0 || engine_changing() || model_read(all) != 0)
        return false;
    for (u32 i = 0; i < traced->plan.items; i++)
        values[i] = all[counter_of[i]] - tally->base[counter_of[i]];
    return true;
}

static void counters_tell(const struct counting_plan *plan)
{
    for (u32 i = 0; i < plan->items; i++) {
        const struct pmu_item *item = &plan->claim.request.item[plan->place[i]];
        trace_counter(i, item->event, item->filter & (SYS_PMU_KERNEL | SYS_PMU_USER));
    }
}

s64 counting_trace_set(struct counting_session *session, u64 majors)
{
    if (majors == 0) {
        counting_trace_end(session);
        return 0;
    }
    if (traced != NULL && traced != session)
        return E_BUSY;
    if (session->plan.items > TRACE_MAX_WORDS || engine_hold(&session->claimed) != 0)
        return E_LIMIT;
    for (u32 i = 0; i < session->plan.items; i++)
        counter_of[i] = engine_counter(&session->claimed, session->plan.place[i]);
    const struct counting_session *before = traced;
    traced = session;
    s64 error = trace_set_counters(majors, read_counters);
    if (error == 0)
        counters_tell(&session->plan);
    else
        traced = before;
    return error;
}

void counting_trace_end(const struct counting_session *session)
{
    if (traced != session)
        return;
    trace_set_counters(0, NULL);
    traced = NULL;
}
