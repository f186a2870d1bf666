// SPDX-License-Identifier: MIT
// A session of counting: room for its sums, its begin and its end.
#include "counting_session.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>

static void free_sums(struct counting_session *session)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct pmu_tally *tally = &session->claimed.tally[cpu];
        task_table_free(tally->tasks);
        kfree(tally->sums);
        *tally = (struct pmu_tally){0};
    }
}

static s64 allocate_sums(struct counting_session *session)
{
    u32 items = session->plan.claim.request.items, flags = session->plan.flags;
    bool tasks = (flags & (SYS_PMU_BY_PROCESS | SYS_PMU_BY_THREAD)) != 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct pmu_tally *tally = &session->claimed.tally[cpu];
        if ((session->claimed.cpus >> cpu & 1) == 0)
            continue;
        tally->sums = kmalloc(PMU_MULTIPLEX_BYTES(items));
        if (tally->sums != NULL)
            pmu_multiplex_begin(tally->sums, items);
        if (tasks)
            tally->tasks = task_table_create(items, (flags & SYS_PMU_BY_THREAD) != 0);
        if (tally->sums == NULL || (tasks && tally->tasks == NULL)) {
            free_sums(session);
            return E_NOMEM;
        }
    }
    return 0;
}

s64 counting_session_begin(struct counting_session *session, u64 cpus, char *message, u64 bytes)
{
    session->claimed = (struct engine_session){
        .claim = &session->plan.claim,
        .cpus = cpus,
        .follows = session->plan.flags != 0,
        .windows = (session->plan.flags & SYS_PMU_READABLE) != 0,
    };
    s64 error = allocate_sums(session);
    if (error != 0)
        return error;
    error = engine_join(&session->claimed, message, bytes);
    if (error != 0)
        free_sums(session);
    session->running = error == 0;
    return error;
}

void counting_session_end(struct counting_session *session)
{
    counting_trace_end(session);
    engine_leave(&session->claimed);
    session->running = false;
}

void counting_session_forget(struct counting_session *session)
{
    if (session->running)
        counting_session_end(session);
    free_sums(session);
    session->number = 0;
    __atomic_store_n(&session->owner, 0, __ATOMIC_RELAXED);
}
