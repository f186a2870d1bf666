// SPDX-License-Identifier: MIT
// Counts of two items of a session, for the logs for schedulers. They are read at switches, which
// cannot interrupt a change of the engine's plan; otherwise it is like counting_trace.c.
#include "counting_log.h"

#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>

#include "counting_session.h"

static const struct counting_session *logged; // NULL: none
static u32 counter_of[COUNTING_LOGGED];
static u64 choices; // so far

u64 counting_log_read(u64 values[COUNTING_LOGGED])
{
    const struct counting_session *session = __atomic_load_n(&logged, __ATOMIC_ACQUIRE);
    u64 all[PMU_COUNTERS] = {0};

    if (session == NULL)
        return 0;
    const struct pmu_tally *tally = &session->claimed.tally[cpu_id()];
    if (!tally->begun || tally->error != 0 || model_read(all) != 0)
        return 0;
    for (u32 i = 0; i < COUNTING_LOGGED; i++)
        values[i] = all[counter_of[i]] - tally->base[counter_of[i]];
    return choices;
}

bool counting_log_is_of(u32 pid)
{
    const struct counting_session *session = __atomic_load_n(&logged, __ATOMIC_ACQUIRE);

    return session != NULL && __atomic_load_n(&session->owner, __ATOMIC_RELAXED) == pid;
}

static void leave_reading(void *unused)
{
    (void)unused; // the interrupt comes once the CPU is not soft-masked
}

// Takes the choice back. On return no CPU reads by it any more.
static void forget_choice(void)
{
    __atomic_store_n(&logged, NULL, __ATOMIC_RELEASE);
    cpus_call(UINT64_MAX, leave_reading, NULL);
}

s64 counting_log_set(struct counting_session *session, const u32 items[COUNTING_LOGGED])
{
    for (u32 i = 0; i < COUNTING_LOGGED; i++)
        if (items[i] >= session->plan.items)
            return E_INVAL;
    if (engine_hold(&session->claimed) != 0)
        return E_LIMIT;
    forget_choice();
    for (u32 i = 0; i < COUNTING_LOGGED; i++)
        counter_of[i] = engine_counter(&session->claimed, session->plan.place[items[i]]);
    choices++;
    __atomic_store_n(&logged, session, __ATOMIC_RELEASE);
    return 0;
}

void counting_log_end(const struct counting_session *session)
{
    if (logged == session)
        forget_choice();
}
