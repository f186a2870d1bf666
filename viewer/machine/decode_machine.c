// SPDX-License-Identifier: MIT
#include "machine/decode_machine.h"
#include "tools/memory.h"

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
    for (size_t i = 0; i < message->n_swaps && i < CLASS_SWAPS_MAX; i++)
        info.swaps[i] = message->swaps[i];
    if (snapshot->class_count < DECODE_MAX_CLASSES)
        snapshot_add_class(snapshot, &info);
}

static struct object_info decode_object(const Orrery__Dci__Object *message, u32 pid, size_t *room)
{
    size_t children = message->n_children < *room ? message->n_children : *room;
    *room -= children;
    return (struct object_info){
        .pid = pid,
        .coid = message->coid,
        .misses = message->misses,
        .class_id = message->class_id,
        .reps = message->rep_count,
        .swaps = message->swaps,
        .child_count = (u32)children,
        .children = message->children,
    };
}

static void add_objects(const Orrery__Dci__ObjectsReply *reply, struct snapshot *snapshot)
{
    size_t room = DECODE_MAX_OBJECTS - snapshot->object_count;
    size_t count = reply->n_objects < room ? reply->n_objects : room;
    size_t children = DECODE_MAX_CHILDREN - snapshot->child_count;
    struct object_info *infos = memory_get(count * sizeof(*infos));
    for (size_t i = 0; i < count; i++)
        infos[i] = decode_object(reply->objects[i], reply->pid, &children);
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
