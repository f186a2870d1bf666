// SPDX-License-Identifier: MIT
// Memory for a session's counts, and access to them.
#include "sums.h"

#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>

void sums_free(struct engine_session *session)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct pmu_tally *tally = &session->tally[cpu];
        task_table_free(tally->tasks);
        kfree(tally->sums);
        *tally = (struct pmu_tally){0};
    }
}

s64 sums_make(struct engine_session *session, u32 flags)
{
    u32 items = session->claim->request.items;
    bool tasks = (flags & (SYS_PMU_BY_PROCESS | SYS_PMU_BY_THREAD)) != 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct pmu_tally *tally = &session->tally[cpu];
        if ((session->cpus >> cpu & 1) == 0)
            continue;
        tally->sums = kmalloc(PMU_MULTIPLEX_BYTES(items));
        if (tally->sums != NULL)
            pmu_multiplex_begin(tally->sums, items);
        if (tasks)
            tally->tasks = task_table_create(items, (flags & SYS_PMU_BY_THREAD) != 0);
        if (tally->sums == NULL || (tasks && tally->tasks == NULL)) {
            sums_free(session);
            return E_NOMEM;
        }
    }
    return 0;
}

void sums_read(const struct engine_session *session, u32 cpu, void (*look)(void *), void *argument)
{
    if (session->running)
        cpus_call(1UL << cpu, look, argument);
    else
        look(argument);
}

void sums_look(const struct engine_session *session, u32 cpu, void (*look)(void *), void *argument)
{
    if (!session->running)
        look(argument);
    else if (!engine_look(cpu, look, argument))
        cpus_call(1UL << cpu, look, argument);
}
