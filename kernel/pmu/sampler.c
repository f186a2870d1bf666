// SPDX-License-Identifier: MIT
// The reader's side of sampling an event on one CPU: finds the object that owns each sample's
// representative.
#include "sampler.h"

#include <co/manager.h>
#include <orrery/errors.h>
#include <string.h>

void samplers_unlock_all(struct cpu_samplers samplers[], u32 cpus)
{
    while (cpus-- != 0)
        mutex_unlock(&samplers[cpus].mutex);
}

bool samplers_try_lock_all(struct cpu_samplers samplers[], u32 cpus)
{
    u32 locked = 0;
    while (locked < cpus && mutex_try_lock(&samplers[locked].mutex))
        locked++;
    if (locked < cpus)
        samplers_unlock_all(samplers, locked);
    return locked == cpus;
}

// Finds the owner of a sample's representative, and counts the sample in exactly one of four ways.
// Only its process knows whether an object of user code lives.
static void attribute(struct sampler *sampler, struct sys_sample *sample)
{
    u64 found = sample->coid;
    enum co_rep_state state = CO_REP_NONE;
    if (found != 0 && (sample->flags & SYS_SAMPLE_KERNEL))
        sample->coid = co_rep_to_coid(found, sampler->cpu, &state);
    if (sample->coid != 0) {
        sampler->attributed++;
        sample->flags |= SYS_SAMPLE_ATTRIBUTED;
    } else if (state == CO_REP_STALE) {
        sampler->stale++;
        sample->flags |= SYS_SAMPLE_STALE;
    } else if (sample->flags & SYS_SAMPLE_IDLE) {
        sampler->idle++;
    } else {
        sampler->unattributed++;
    }
}

s64 sampler_read(struct sampler *sampler, void *buffer, u64 bytes)
{
    u64 used = 0;
    const struct sys_sample *taken;
    sample_buffer_grow(&sampler->buffer);
    while ((taken = sample_buffer_peek(&sampler->buffer)) != NULL) {
        u64 length = sys_sample_bytes(taken);
        if (length > bytes - used)
            return used != 0 ? (s64)used : E_INVAL;
        struct sys_sample *sample = memcpy((char *)buffer + used, taken, length);
        sample->cpu = (u16)sampler->cpu;
        sample->event = (u16)sampler->event;
        attribute(sampler, sample);
        used += length;
        sample_buffer_drop(&sampler->buffer);
    }
    return (s64)used;
}

void sampler_free(struct sampler *sampler)
{
    sample_buffer_free(&sampler->buffer);
}

s64 sampler_reset(struct sampler *sampler, u32 event, u32 callers)
{
    u32 cpu = sampler->cpu;
    sampler_free(sampler);
    *sampler = (struct sampler){.cpu = cpu, .event = event};
    return sample_buffer_init(&sampler->buffer, callers);
}

void sampler_stat(const struct sampler *sampler, struct sys_sampling_stat *stat)
{
    const struct sample_buffer *buffer = &sampler->buffer;
    *stat = (struct sys_sampling_stat){
        .taken = __atomic_load_n(&buffer->taken, __ATOMIC_RELAXED),
        .lost = __atomic_load_n(&buffer->lost, __ATOMIC_RELAXED),
        .attributed = sampler->attributed,
        .unattributed = sampler->unattributed,
        .stale = sampler->stale,
        .idle = sampler->idle,
        .buffer_bytes = buffer->bytes,
        .buffer_grown = buffer->grown,
        .ticks_in_handler = __atomic_load_n(&buffer->ticks, __ATOMIC_RELAXED),
    };
}
