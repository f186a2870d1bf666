// SPDX-License-Identifier: MIT
// From the messages of the machine, or of a recording, to what kov keeps. Nothing in a message is
// trusted.
#include "decode.h"

void decode_classes(const Orrery__Dci__ClassesReply *reply, struct snapshot *snapshot)
{
    for (size_t i = 0; i < reply->n_classes && snapshot->class_count < DECODE_MAX_CLASSES; i++) {
        const Orrery__Dci__ObjectClass *message = reply->classes[i];
        struct class_info info = {
            .id = message->class_id,
            .size = message->size,
            .live = message->live,
            .distributed = message->distributed,
            .name = message->name,
            .implementation = message->implementation,
        };
        snapshot_add_class(snapshot, &info);
    }
}

void decode_objects(const Orrery__Dci__ObjectsReply *reply, struct snapshot *snapshot)
{
    for (size_t i = 0; i < reply->n_objects && snapshot->object_count < DECODE_MAX_OBJECTS; i++) {
        const Orrery__Dci__Object *message = reply->objects[i];
        size_t children = message->n_children;
        struct object_info info = {
            .coid = message->coid,
            .misses = message->misses,
            .class_id = message->class_id,
            .reps = message->rep_count,
            .child_count = children > DECODE_MAX_CHILDREN ? DECODE_MAX_CHILDREN : (u32)children,
            .children = message->children,
        };
        snapshot_add_object(snapshot, &info);
    }
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
    struct sample_cpu *cpu = samples_cpu(set, samples->cpu);
    if (cpu == NULL)
        return;
    cpu->lost = samples->lost;
    for (size_t i = 0; i < samples->n_samples; i++) {
        struct sample sample = decode_sample(samples->samples[i], samples->cpu);
        samples_add(set, &sample);
    }
}

void decode_sampling_stat(const Orrery__Dci__SamplingStatReply *reply, struct sample_set *set)
{
    for (size_t i = 0; i < reply->n_cpus; i++) {
        const Orrery__Dci__SamplingStat *stat = reply->cpus[i];
        struct sample_cpu *cpu = samples_cpu(set, stat->cpu);
        if (cpu == NULL)
            continue;
        cpu->lost = stat->lost;
        cpu->taken = stat->taken;
        cpu->handler_ticks = stat->ticks_in_handler;
        cpu->missed = stat->missed;
        cpu->buffer_grown = stat->buffer_grown;
    }
}
