// SPDX-License-Identifier: MIT
// From the messages of the machine, or of a recording, to what kov keeps. Nothing in a message is
// trusted.
#include "decode.h"
#include "memory.h"

#include <stdlib.h>

void decode_processes(const Orrery__Dci__ProcessesReply *reply, struct snapshot *snapshot)
{
    if (reply->time != 0)
        snapshot->process_time = reply->time;
    for (size_t i = 0; i < reply->n_processes && snapshot->process_count < DECODE_MAX_PROCESSES;
         i++) {
        const Orrery__Dci__Process *message = reply->processes[i];
        struct process_info info = {
            .pid = message->pid,
            .parent = message->parent,
            .state = message->state,
            .rights = message->rights,
            .priority = message->priority,
            .dispatchers = message->dispatchers,
            .object = message->object,
            .start_time = message->start_time,
            .cpu_ticks = message->cpu_ticks,
            .memory_pages = message->memory_pages,
            .faults = message->faults,
            .calls = message->calls,
            .events = message->events,
            .name = message->name,
        };
        if (info.pid != 0)
            snapshot_add_process(snapshot, &info);
    }
}

static void add_class(const Orrery__Dci__ObjectClass *message, u32 pid, struct snapshot *snapshot)
{
    struct class_info info = {
        .pid = pid,
        .id = message->class_id,
        .size = message->size,
        .live = message->live,
        .distributed = message->distributed,
        .name = message->name,
        .implementation = message->implementation,
    };
    if (snapshot->class_count < DECODE_MAX_CLASSES)
        snapshot_add_class(snapshot, &info);
}

static struct object_info decode_object(const Orrery__Dci__Object *message, u32 pid)
{
    size_t children = message->n_children;
    return (struct object_info){
        .pid = pid,
        .coid = message->coid,
        .misses = message->misses,
        .class_id = message->class_id,
        .reps = message->rep_count,
        .child_count = children > DECODE_MAX_CHILDREN ? DECODE_MAX_CHILDREN : (u32)children,
        .children = message->children,
    };
}

static void add_objects(const Orrery__Dci__ObjectsReply *reply, struct snapshot *snapshot)
{
    size_t room = DECODE_MAX_OBJECTS - snapshot->object_count;
    size_t count = reply->n_objects < room ? reply->n_objects : room;
    struct object_info *infos = memory_get(count * sizeof(*infos));
    for (size_t i = 0; i < count; i++)
        infos[i] = decode_object(reply->objects[i], reply->pid);
    snapshot_add_objects(snapshot, infos, count);
    free(infos);
}

static void note_failure(const Orrery__Dci__ProcessFailure *failure, u32 pid,
                         struct snapshot *snapshot)
{
    if (failure != NULL && snapshot_process(snapshot, pid) != NULL)
        failures_add(&snapshot->failures, pid, failure->error, failure->message);
}

void decode_classes(const Orrery__Dci__ClassesReply *reply, struct snapshot *snapshot)
{
    for (size_t i = 0; i < reply->n_classes; i++)
        add_class(reply->classes[i], reply->pid, snapshot);
    note_failure(reply->failure, reply->pid, snapshot);
}

void decode_objects(const Orrery__Dci__ObjectsReply *reply, struct snapshot *snapshot)
{
    for (size_t i = 0; i < reply->n_classes; i++)
        add_class(reply->classes[i], reply->pid, snapshot);
    add_objects(reply, snapshot);
    note_failure(reply->failure, reply->pid, snapshot);
}

static struct sample decode_sample(const Orrery__Dci__Sample *message, u32 cpu)
{
    size_t callers = message->n_callers;
    return (struct sample){
        .time = message->time,
        .coid = message->coid,
        .pc = message->pc,
        .cpu = cpu,
        .flags = message->flags,
        .thread = message->thread,
        .pid = message->pid,
        .caller_count = callers > SAMPLE_MAX_CALLERS ? SAMPLE_MAX_CALLERS : (u32)callers,
        .callers = message->callers,
    };
}

void decode_samples(const Orrery__Dci__Samples *samples, struct sample_set *set)
{
    struct sample_stream *stream = samples_stream(set, samples->cpu, samples->index);
    if (stream == NULL)
        return;
    stream->lost = stream->lost_before + samples->lost;
    for (size_t i = 0; i < samples->n_samples; i++) {
        struct sample sample = decode_sample(samples->samples[i], samples->cpu);
        sample.index = samples->index;
        samples_add(set, &sample);
    }
}

void decode_sampling_stat(const Orrery__Dci__SamplingStatReply *reply, struct sample_set *set)
{
    for (size_t i = 0; i < reply->n_cpus; i++) {
        const Orrery__Dci__SamplingStat *stat = reply->cpus[i];
        struct sample_stream *stream = samples_stream(set, stat->cpu, stat->index);
        if (stream == NULL)
            continue;
        stream->lost = stream->lost_before + stat->lost;
        stream->taken = stat->taken;
        stream->filtered = stat->filtered;
        stream->handler_ticks = stat->ticks_in_handler;
        stream->missed = stat->missed;
        stream->overflows = stat->overflows;
        stream->buffer_grown = stat->buffer_grown;
    }
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
    samples_change(set, changed->index, changed->period, changed->time);
}
