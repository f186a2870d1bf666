// SPDX-License-Identifier: MIT
// Overflows against the unit's totals.
#include "model_witness.h"

#include <kernel/model_unit.h>
#include <kernel/percpu.h>

#include "model_commands.h"

// Right after a session's start a CPU may run on for a while without looking for overflows: it does
// when it is asked for its counters.
static u64 overflows(const struct model_witness *witness, u32 index)
{
    struct sys_sampling_stat stat = {0};
    u64 values[MODEL_COUNTERS];

    model_read(values);
    sys_sampling_stat(witness->session, cpu_id(), index, &stat);
    return stat.overflows;
}

// Adds totals, times sign, to sums.
static void add_totals(const struct model_witness *witness, u64 sign, u64 sums[])
{
    u64 totals[MODEL_EVENTS][2] = {0};

    model_totals(totals);
    for (u32 i = 0; i < witness->count; i++)
        sums[i] += sign * (totals[witness->event[i]][0] + totals[witness->event[i]][1]);
}

void model_witness_begin(struct model_witness *witness)
{
    for (u32 i = 0; i < witness->count; i++)
        witness->least[i] = witness->most[i] = witness->overflows[i] = 0;
    add_totals(witness, -1UL, witness->most);
    for (u32 i = 0; i < witness->count; i++)
        witness->overflows[i] -= overflows(witness, i);
    add_totals(witness, -1UL, witness->least);
}

void model_witness_end(struct model_witness *witness)
{
    add_totals(witness, 1, witness->least);
    for (u32 i = 0; i < witness->count; i++)
        witness->overflows[i] += overflows(witness, i);
    add_totals(witness, 1, witness->most);
}

void model_witness_compare(const struct model_witness *witness, u32 index, u64 period, u64 events,
                           struct bench_tally *tally)
{
    u64 found = witness->overflows[index], low = witness->least[index] / period;
    bool right = low <= found && found <= witness->most[index] / period + 1;

    bench_compare(tally, right ? found : low, found);
    bool enough = witness->least[index] >= events;
    bench_compare(tally, 0, !enough);
    if (!right || !enough)
        bench_note("%lu overflows, of %lu to %lu events, where %lu are known of", found,
                   witness->least[index], witness->most[index], events);
}
