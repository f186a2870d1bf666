// SPDX-License-Identifier: MIT
// What is known of the machine's processes, classes and objects.
#include "machine/snapshot.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <orrery/lower_bound.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Compares by pid, then by a number within the process.
static bool is_below(u32 left_pid, u64 left, u32 right_pid, u64 right)
{
    return left_pid != right_pid ? left_pid < right_pid : left < right;
}

// Returns the index of the first process whose pid is not below the given one.
static size_t process_place(const struct snapshot *snapshot, u32 pid)
{
    size_t place = snapshot->process_count;
    while (place > 0 && snapshot->processes[place - 1].pid >= pid)
        place--;
    return place;
}

static size_t class_place(const struct snapshot *snapshot, u32 pid, u32 id)
{
    const struct class_info *info = snapshot->classes;
    return LOWER_BOUND(at, snapshot->class_count, is_below(info[at].pid, info[at].id, pid, id));
}

static size_t object_place(const struct snapshot *snapshot, u32 pid, coid_t coid)
{
    const struct object_info *info = snapshot->objects;
    size_t count = snapshot->object_count;
    if (count > 0 && is_below(info[count - 1].pid, info[count - 1].coid, pid, coid))
        return count; // scans come in rising order
    return LOWER_BOUND(at, count, is_below(info[at].pid, info[at].coid, pid, coid));
}

static struct process_info *process_entry(struct snapshot *snapshot, u32 pid)
{
    size_t place = process_place(snapshot, pid);
    struct process_info *entry = snapshot->processes + place;
    if (place < snapshot->process_count && entry->pid == pid) {
        free(entry->name);
        failures_remove(&snapshot->failures, pid);
        return entry;
    }
    snapshot->processes = memory_grow(snapshot->processes, snapshot->process_count,
                                      &snapshot->process_capacity, sizeof(*snapshot->processes));
    entry = snapshot->processes + place;
    memmove(entry + 1, entry, (snapshot->process_count - place) * sizeof(*entry));
    snapshot->process_count++;
    return entry;
}

void snapshot_add_process(struct snapshot *snapshot, const struct process_info *info)
{
    struct process_info *entry = process_entry(snapshot, info->pid);
    *entry = *info;
    entry->name = text_copy_bounded(info->name);
}

static struct class_info *class_entry(struct snapshot *snapshot, u32 pid, u32 id)
{
    size_t place = class_place(snapshot, pid, id);
    struct class_info *entry = snapshot->classes + place;
    if (place < snapshot->class_count && entry->pid == pid && entry->id == id) {
        free(entry->name);
        free(entry->implementation);
        return entry;
    }
    snapshot->classes = memory_grow(snapshot->classes, snapshot->class_count,
                                    &snapshot->class_capacity, sizeof(*snapshot->classes));
    entry = snapshot->classes + place;
    memmove(entry + 1, entry, (snapshot->class_count - place) * sizeof(*entry));
    snapshot->class_count++;
    return entry;
}

void snapshot_add_class(struct snapshot *snapshot, const struct class_info *info)
{
    struct class_info *entry = class_entry(snapshot, info->pid, info->id);
    *entry = *info;
    entry->name = text_copy_bounded(info->name);
    entry->implementation = text_copy_bounded(info->implementation);
}

static void copy_object(struct snapshot *snapshot, struct object_info *entry,
                        const struct object_info *info)
{
    snapshot->child_count += info->child_count;
    *entry = *info;
    size_t bytes = info->child_count * sizeof(*info->children);
    entry->children = memory_get(bytes);
    if (bytes > 0)
        memcpy(entry->children, info->children, bytes);
}

static bool object_below(const struct object_info *left, const struct object_info *right)
{
    return is_below(left->pid, left->coid, right->pid, right->coid);
}

// Returns how many of these objects rise and belong before the object that is at `place` now.
static size_t run_length(const struct snapshot *snapshot, size_t place,
                         const struct object_info *infos, size_t count)
{
    size_t length = 1;
    while (length < count && object_below(&infos[length - 1], &infos[length]) &&
           (place == snapshot->object_count ||
            object_below(&infos[length], &snapshot->objects[place])))
        length++;
    return length;
}

static void insert_objects(struct snapshot *snapshot, size_t place, const struct object_info *infos,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        snapshot->objects = memory_grow(snapshot->objects, snapshot->object_count + i,
                                        &snapshot->object_capacity, sizeof(*snapshot->objects));
    struct object_info *entry = snapshot->objects + place;
    memmove(entry + count, entry, (snapshot->object_count - place) * sizeof(*entry));
    snapshot->object_count += count;
    for (size_t i = 0; i < count; i++)
        copy_object(snapshot, entry + i, &infos[i]);
}

// Adds objects of one or more processes. Processes answer in any order, but the objects of each one
// rise. So it makes room for many at once.
void snapshot_add_objects(struct snapshot *snapshot, const struct object_info *infos, size_t count)
{
    while (count > 0) {
        size_t place = object_place(snapshot, infos->pid, infos->coid), done = 1;
        struct object_info *there = snapshot->objects + place;
        if (place < snapshot->object_count && there->pid == infos->pid &&
            there->coid == infos->coid) {
            free(there->children);
            snapshot->child_count -= there->child_count;
            copy_object(snapshot, there, infos);
        } else {
            done = run_length(snapshot, place, infos, count);
            insert_objects(snapshot, place, infos, done);
        }
        infos += done;
        count -= done;
    }
}

void snapshot_free(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->process_count; i++)
        free(snapshot->processes[i].name);
    for (size_t i = 0; i < snapshot->class_count; i++) {
        free(snapshot->classes[i].name);
        free(snapshot->classes[i].implementation);
    }
    for (size_t i = 0; i < snapshot->object_count; i++)
        free(snapshot->objects[i].children);
    free(snapshot->processes);
    free(snapshot->classes);
    free(snapshot->objects);
    failures_free(&snapshot->failures);
    *snapshot = (struct snapshot){0};
}

struct process_info *snapshot_process(const struct snapshot *snapshot, u32 pid)
{
    size_t place = process_place(snapshot, pid);
    if (place == snapshot->process_count || snapshot->processes[place].pid != pid)
        return NULL;
    return snapshot->processes + place;
}

const struct class_info *snapshot_class(const struct snapshot *snapshot, u32 pid, u32 id)
{
    size_t place = class_place(snapshot, pid, id);
    const struct class_info *info = snapshot->classes + place;
    if (place == snapshot->class_count || info->pid != pid || info->id != id)
        return NULL;
    return info;
}

const struct object_info *snapshot_object(const struct snapshot *snapshot, u32 pid, coid_t coid)
{
    size_t place = object_place(snapshot, pid, coid);
    const struct object_info *info = snapshot->objects + place;
    if (place == snapshot->object_count || info->pid != pid || info->coid != coid)
        return NULL;
    return info;
}

void snapshot_process_name(const struct snapshot *snapshot, u32 pid, char name[OBJECT_NAME_BYTES])
{
    const struct process_info *info = snapshot_process(snapshot, pid);
    if (pid == 0)
        snprintf(name, OBJECT_NAME_BYTES, "kernel");
    else if (info == NULL)
        snprintf(name, OBJECT_NAME_BYTES, "pid %" PRIu32, pid);
    else
        snprintf(name, OBJECT_NAME_BYTES, "%.40s:%" PRIu32, info->name, pid);
}

void snapshot_class_name(const struct snapshot *snapshot, u32 pid, u32 id,
                         char name[OBJECT_NAME_BYTES])
{
    const struct class_info *info = snapshot_class(snapshot, pid, id);
    if (info == NULL)
        snprintf(name, OBJECT_NAME_BYTES, "class %" PRIu32, id);
    else
        snprintf(name, OBJECT_NAME_BYTES, "%.50s(%.50s)", info->name, info->implementation);
}

void snapshot_object_name(const struct snapshot *snapshot, u32 pid, coid_t coid,
                          char name[OBJECT_NAME_BYTES])
{
    const struct object_info *object = snapshot_object(snapshot, pid, coid);
    char class_name[OBJECT_NAME_BYTES] = "[gone]", process[OBJECT_NAME_BYTES];
    if (object != NULL)
        snapshot_class_name(snapshot, pid, object->class_id, class_name);
    snapshot_process_name(snapshot, pid, process);
    snprintf(name, OBJECT_NAME_BYTES, "%.102s 0x%" PRIx64 "%s%.52s", class_name, coid,
             pid == 0 ? "" : " of ", pid == 0 ? "" : process);
}
