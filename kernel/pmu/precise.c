// SPDX-License-Identifier: MIT
// Emptying rings of precise records.
#include "precise.h"

#include <kernel/model_unit.h>

static struct sampler *sampler_for(struct cpu_samplers *samplers, u32 event_count, u32 counter)
{
    for (u32 i = 0; i < event_count; i++) {
        if (samplers->events[i].counter == counter)
            return &samplers->events[i];
    }
    return NULL; // of what the counter was programmed for before
}

static void take(struct sampler *sampler, const struct model_record *record, u64 pending,
                 u32 callers)
{
    struct sample_slot slot;
    sample_buffer_reserve(&sampler->buffer, pending);
    if (!sample_buffer_begin(&sampler->buffer, &slot))
        return;
    precise_sample(record, sampler->cpu, callers, slot.sample);
    sample_buffer_commit(&sampler->buffer, &slot);
}

void precise_drain(struct cpu_samplers *samplers, u32 cpu, u32 event_count, u32 callers)
{
    // Not more than there are now: records may come in as fast as they are taken out. None before
    // the session knows which counters its events have.
    u64 pending = samplers->events[0].counter != PMU_COUNTERS ? model_ring_count(cpu) : 0;
    const struct model_record *record;
    for (; pending != 0 && (record = model_ring_peek(cpu)) != NULL; pending--) {
        struct sampler *sampler = sampler_for(samplers, event_count, record->counter);
        if (sampler != NULL)
            take(sampler, record, pending, callers);
        model_ring_next(cpu);
    }
}
