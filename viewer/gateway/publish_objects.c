// SPDX-License-Identifier: MIT
// The topics of objects and processes, from the last scan.
#include "gateway/machine_state.h"
#include "machine/scan.h"
#include "output/document.h"
#include "tools/clock.h"
#include "tools/memory.h"

#include <stdlib.h>

u32 tree_entry_thing(struct names *names, const struct snapshot *snapshot,
                     const struct tree_entry *entry)
{
    switch (entry->kind) {
    case TREE_MACHINE:
        return names_machine(names);
    case TREE_PROCESS:
        return names_process(names, snapshot, entry->pid);
    case TREE_KERNEL_SIDE:
    case TREE_USER_SIDE:
        return names_side(names, entry->pid, entry->kind == TREE_KERNEL_SIDE);
    default:
        return names_object(names, snapshot, snapshot->objects[entry->object].pid,
                            snapshot->objects[entry->object].coid);
    }
}

static void fill_object(struct machine *machine, const struct tree_entry *entry,
                        const struct frame_objects *rows, u32 row)
{
    const struct object_info *object = &machine->snapshot.objects[entry->object];
    char class_name[OBJECT_NAME_BYTES];
    snapshot_class_name(&machine->snapshot, object->pid, object->class_id, class_name);
    rows->class[row] = names_string(&machine->names, class_name);
    rows->reps[row] = (u16)object->reps;
    rows->misses[row] = (double)object->misses;
}

int publish_objects(struct machine *machine, struct published *published)
{
    u64 said = machine->scans + ((u64)machine->names.epoch << 32);
    if (machine->scans == 0 || (!published->afresh && published->said == said))
        return KOV_OK;
    published->said = said;
    u32 count = (u32)machine->tree.count, parents[TREE_MAX_DEPTH + 2] = {0};
    while (frame_objects_bytes(count) > FRAME_OUT_BYTES)
        count -= count / 16;
    struct block *block = block_new(frame_objects_bytes(count), true, true);
    struct frame_objects rows;
    frame_objects_lay(block->data, count, &rows);
    for (u32 row = 0; row < count; row++) {
        const struct tree_entry *entry = &machine->tree.entries[row];
        rows.thing[row] = tree_entry_thing(&machine->names, &machine->snapshot, entry);
        rows.parent[row] = entry->depth == 0 ? 0 : parents[entry->depth - 1];
        parents[entry->depth] = rows.thing[row];
        rows.own[row] =
            entry->kind == TREE_PROCESS && is_own_program(&machine->snapshot, entry->pid);
        if (entry->kind == TREE_OBJECT)
            fill_object(machine, entry, &rows, row);
    }
    struct frame_head head = {.kind = FRAME_OBJECTS,
                              .flags = FRAME_WHOLE,
                              .rows = count,
                              .complete =
                                  machine_time(machine, background_now(&machine->background))};
    frame_head_write(block->data, &head);
    machine_publish(machine, published, block);
    return KOV_OK;
}

// ---- processes ---------------------------------------------------------------------------------

static void put_process(json_t *list, const struct machine *machine,
                        const struct process_info *process)
{
    json_t *json = put_object(list, NULL);
    put_u64(json, "pid", process->pid);
    put_text(json, "name", process->name);
    put_u64(json, "parent", process->parent);
    put_u64(json, "state", process->state);
    put_u64(json, "cpu_ticks", process->cpu_ticks);
    put_u64(json, "memory_kb", process->memory_pages * 4);
    put_u64(json, "faults", process->faults);
    put_u64(json, "calls", process->calls);
    put_u64(json, "priority", process->priority);
    put_u64(json, "dispatchers", process->dispatchers);
    const struct process_failure *failure =
        failures_find(&machine->snapshot.failures, process->pid);
    if (failure != NULL)
        put_text(json, "failure", failure->reason);
}

int publish_processes(struct machine *machine, struct published *published)
{
    struct snapshot fresh = {0};
    int code = machine->live ? scan_processes(&fresh) : KOV_OK;
    const struct snapshot *known = machine->live ? &fresh : &machine->snapshot;
    if (code == KOV_OK && (machine->live || published->afresh)) {
        json_t *data = json_object(), *list = put_array(data, "processes");
        put_u64(data, "timebase_hz", machine->timebase_hz);
        put_u64(data, "time", known->process_time);
        for (size_t i = 0; i < known->process_count; i++)
            put_process(list, machine, &known->processes[i]);
        machine_publish(machine, published, block_of_json(data));
    }
    snapshot_free(&fresh);
    return code;
}
