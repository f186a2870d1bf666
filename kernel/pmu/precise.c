// SPDX-License-Identifier: MIT
// Empties rings of precise records.
#include "precise.h"

#include <kernel/model_unit.h>

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
    // Takes only those there are now: records may come in as fast as they are taken.
    u64 pending = model_ring_count(cpu);
    const struct model_record *record;
    for (; pending != 0 && (record = model_ring_peek(cpu)) != NULL; pending--) {
        u32 source = PMU_LABEL_SOURCE(MODEL_LABEL_OF(record->flags));
        if (source - 1 < event_count)
            take(&samplers->events[source - 1], record, pending, callers);
        model_ring_next(cpu);
    }
}
