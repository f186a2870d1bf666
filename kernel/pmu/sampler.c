// SPDX-License-Identifier: MIT
// The reader's side of sampling an event on one CPU: which object
// owns each sample's representative.
#include "sampler.h"

#include <co/manager.h>
#include <orrery/errors.h>

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

// Of user code: whether the object lives only its process knows.
static coid_t attribute_user(struct sampler *sampler, const struct raw_sample *raw, u16 *flags)
{
    if (raw->rep == 0) {
        sampler->unattributed++;
        return 0;
    }
    sampler->attributed++;
    *flags |= SYS_SAMPLE_ATTRIBUTED;
    return raw->rep;
}

// Every sample counts in exactly one of the four ways.
static coid_t attribute(struct sampler *sampler, const struct raw_sample *raw, u16 *flags)
{
    if (!(*flags & SYS_SAMPLE_KERNEL))
        return attribute_user(sampler, raw, flags);
    enum co_rep_state state = CO_REP_NONE;
    coid_t coid = raw->rep != 0 ? co_rep_to_coid(raw->rep, sampler->cpu, &state) : 0;
    if (coid != 0) {
        sampler->attributed++;
        *flags |= SYS_SAMPLE_ATTRIBUTED;
    } else if (raw->rep != 0 && state == CO_REP_STALE) {
        sampler->stale++;
        *flags |= SYS_SAMPLE_STALE;
    } else if (*flags & SYS_SAMPLE_IDLE) {
        sampler->idle++;
    } else {
        sampler->unattributed++;
    }
    return coid;
}

static u64 record_bytes(const struct raw_sample *raw)
{
    return sizeof(struct sys_sample) + sample_callers(raw) * sizeof(u64);
}

static void convert(struct sampler *sampler, const struct raw_sample *raw, struct sys_sample *out)
{
    u16 flags = (u16)sample_flags(raw);
    coid_t coid = attribute(sampler, raw, &flags);
    *out = (struct sys_sample){
        .record_bytes = (u32)record_bytes(raw),
        .cpu = (u16)sampler->cpu,
        .flags = flags,
        .time = raw->time,
        .coid = coid,
        .thread = sample_thread_id(raw),
        .pid = (u32)raw->pid,
        .pc = raw->pc,
        .event = sampler->event,
        .caller_count = sample_callers(raw),
    };
    for (u32 i = 0; i < out->caller_count; i++)
        out->callers[i] = raw->callers[i];
}

s64 sampler_read(struct sampler *sampler, void *buffer, u64 bytes)
{
    u64 used = 0;
    const struct raw_sample *raw;
    sample_buffer_grow(&sampler->buffer);
    while ((raw = sample_buffer_peek(&sampler->buffer)) != NULL) {
        if (record_bytes(raw) > bytes - used)
            return used != 0 ? (s64)used : E_INVAL;
        convert(sampler, raw, (struct sys_sample *)((char *)buffer + used));
        used += record_bytes(raw);
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
