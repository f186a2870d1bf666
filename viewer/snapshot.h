// SPDX-License-Identifier: MIT
// What is known of the machine's objects and classes: filled by scans, asked for names.
#ifndef KOV_SNAPSHOT_H
#define KOV_SNAPSHOT_H

#include <orrery/types.h>

struct class_info {
    u32 id;
    u32 size; // bytes of root and one representative
    u32 live; // instances
    bool distributed;
    char *name, *implementation;
};

struct object_info {
    coid_t coid;
    u64 misses;
    u32 class_id;
    u32 reps;
    u32 child_count;
    coid_t *children;
};

struct snapshot {
    struct class_info *classes; // by id
    size_t class_count, class_capacity;
    struct object_info *objects; // by COID
    size_t object_count, object_capacity;
};

// Both copy what they are given, and replace an entry of the same id or COID, so that the latest
// scan wins. Cheapest when added in rising order.
void snapshot_add_class(struct snapshot *snapshot, const struct class_info *info);
void snapshot_add_object(struct snapshot *snapshot, const struct object_info *info);
void snapshot_free(struct snapshot *snapshot);

// NULL when not known.
const struct class_info *snapshot_class(const struct snapshot *snapshot, u32 id);
const struct object_info *snapshot_object(const struct snapshot *snapshot, coid_t coid);

#define OBJECT_NAME_BYTES 192
// "Class(implementation)", or "class 7" when the class is not known.
void snapshot_class_name(const struct snapshot *snapshot, u32 id, char name[OBJECT_NAME_BYTES]);
// "Class(implementation) 0xcoid", or "[gone] 0xcoid" when no scan saw the object.
void snapshot_object_name(const struct snapshot *snapshot, coid_t coid,
                          char name[OBJECT_NAME_BYTES]);

#endif
