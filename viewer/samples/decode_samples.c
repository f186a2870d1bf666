// SPDX-License-Identifier: MIT
#include "samples/decode_samples.h"

static void decode_turns(const Orrery__Dci__SamplingTurns *turns, struct sample_share *share)
{
    if (turns != NULL)
        *share = (struct sample_share){turns->measured, turns->total, turns->turns};
}

void decode_samples(const Orrery__Dci__Samples *samples, struct sample_set *set)
{
    struct sample_stream *stream = samples_stream(set, samples->cpu, samples->index);
    if (stream == NULL)
        return;
    stream->lost = stream->lost_before + samples->lost;
    decode_turns(samples->turns, &stream->share);
    for (size_t i = 0; i < samples->n_samples; i++) {
        const Orrery__Dci__Sample *message = samples->samples[i];
        struct sample sample = {
            .time = message->time,
            .coid = message->coid,
            .pc = message->pc,
            .cpu = samples->cpu,
            .flags = message->flags,
            .thread = message->thread,
            .pid = message->pid,
            .index = samples->index,
            .caller_count = (u32)message->n_callers,
            .callers = message->callers,
        };
        samples_add(set, &sample);
    }
}

static void decode_stat(const Orrery__Dci__SamplingStat *stat, struct sample_set *set)
{
    struct sample_stream *stream = samples_stream(set, stat->cpu, stat->index);
    if (stream == NULL)
        return;
    stream->lost = stream->lost_before + stat->lost;
    stream->taken = stat->taken;
    stream->filtered = stat->filtered;
    stream->handler_ticks = stat->ticks_in_handler;
    stream->missed = stat->missed;
    stream->overflows = stat->overflows;
    stream->buffer_grown = stat->buffer_grown;
    decode_turns(stat->turns, &stream->share);
}

void decode_sampling_stat(const Orrery__Dci__SamplingStatReply *reply, struct sample_set *set)
{
    set->now = reply->time;
    for (size_t i = 0; i < reply->n_cpus; i++)
        decode_stat(reply->cpus[i], set);
}

void decode_sampling_start(const Orrery__Dci__SamplingStartReply *reply,
                           const struct sampled_events *events, struct sample_set *set)
{
    samples_begin(set, events, reply->time);
    for (size_t i = 0; i < set->cpu_count * SAMPLED_EVENTS_MAX; i++) {
        struct sample_stream *stream =
            &set->cpus[i / SAMPLED_EVENTS_MAX].streams[i % SAMPLED_EVENTS_MAX];
        stream->lost_before = stream->lost;
        stream->received_before = stream->received;
    }
}

void decode_sampling_changed(const Orrery__Dci__SamplingChanged *changed, struct sample_set *set)
{
    for (size_t i = 0; i < changed->n_cpus; i++)
        decode_stat(changed->cpus[i], set);
    samples_change(set, changed->index, changed->period, changed->time);
}
