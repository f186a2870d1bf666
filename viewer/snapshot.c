// SPDX-License-Identifier: MIT
// What is known of the machine's objects and classes: filled by scans, asked for names.
#include "snapshot.h"
#include "memory.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Index of the first class whose id is not below the given one.
static size_t class_place(const struct snapshot *snapshot, u32 id)
{
    size_t low = 0, high = snapshot->class_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (snapshot->classes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t object_place(const struct snapshot *snapshot, coid_t coid)
{
    size_t low = 0, high = snapshot->object_count;
    if (high > 0 && snapshot->objects[high - 1].coid < coid)
        return high; // scans come in rising order
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (snapshot->objects[middle].coid < coid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static char *printable_copy(const char *text)
{
    char *copy = memory_copy_text(text == NULL ? "" : text);
    text_make_printable(copy, false);
    return copy;
}

static struct class_info *class_entry(struct snapshot *snapshot, u32 id)
{
    size_t place = class_place(snapshot, id);
    struct class_info *entry = snapshot->classes + place;
    if (place < snapshot->class_count && entry->id == id) {
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
    struct class_info *entry = class_entry(snapshot, info->id);
    *entry = *info;
    entry->name = printable_copy(info->name);
    entry->implementation = printable_copy(info->implementation);
}

static struct object_info *object_entry(struct snapshot *snapshot, coid_t coid)
{
    size_t place = object_place(snapshot, coid);
    if (place < snapshot->object_count && snapshot->objects[place].coid == coid) {
        free(snapshot->objects[place].children);
        return snapshot->objects + place;
    }
    snapshot->objects = memory_grow(snapshot->objects, snapshot->object_count,
                                    &snapshot->object_capacity, sizeof(*snapshot->objects));
    struct object_info *entry = snapshot->objects + place;
    memmove(entry + 1, entry, (snapshot->object_count - place) * sizeof(*entry));
    snapshot->object_count++;
    return entry;
}

void snapshot_add_object(struct snapshot *snapshot, const struct object_info *info)
{
    struct object_info *entry = object_entry(snapshot, info->coid);
    *entry = *info;
    size_t bytes = info->child_count * sizeof(*info->children);
    entry->children = memory_get(bytes);
    if (bytes > 0)
        memcpy(entry->children, info->children, bytes);
}

void snapshot_free(struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->class_count; i++) {
        free(snapshot->classes[i].name);
        free(snapshot->classes[i].implementation);
    }
    for (size_t i = 0; i < snapshot->object_count; i++)
        free(snapshot->objects[i].children);
    free(snapshot->classes);
    free(snapshot->objects);
    *snapshot = (struct snapshot){0};
}

const struct class_info *snapshot_class(const struct snapshot *snapshot, u32 id)
{
    size_t place = class_place(snapshot, id);
    if (place == snapshot->class_count || snapshot->classes[place].id != id)
        return NULL;
    return snapshot->classes + place;
}

const struct object_info *snapshot_object(const struct snapshot *snapshot, coid_t coid)
{
    size_t place = object_place(snapshot, coid);
    if (place == snapshot->object_count || snapshot->objects[place].coid != coid)
        return NULL;
    return snapshot->objects + place;
}

void snapshot_class_name(const struct snapshot *snapshot, u32 id, char name[OBJECT_NAME_BYTES])
{
    const struct class_info *info = snapshot_class(snapshot, id);
    if (info == NULL)
        snprintf(name, OBJECT_NAME_BYTES, "class %" PRIu32, id);
    else
        snprintf(name, OBJECT_NAME_BYTES, "%.64s(%.64s)", info->name, info->implementation);
}

void snapshot_object_name(const struct snapshot *snapshot, coid_t coid,
                          char name[OBJECT_NAME_BYTES])
{
    const struct object_info *object = snapshot_object(snapshot, coid);
    if (object == NULL) {
        snprintf(name, OBJECT_NAME_BYTES, "[gone] 0x%" PRIx64, coid);
        return;
    }
    snapshot_class_name(snapshot, object->class_id, name);
    size_t length = strlen(name);
    snprintf(name + length, OBJECT_NAME_BYTES - length, " 0x%" PRIx64, coid);
}
