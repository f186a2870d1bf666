// SPDX-License-Identifier: MIT
// The clustered objects of the workloads: one shared implementation whose methods do work of known
// length, and which holds given references.
#ifndef WORKLOADS_WORK_OBJECT_H
#define WORKLOADS_WORK_OBJECT_H

#include <co/object.h>

#define WORK_OBJECT_CHILDREN 4

struct work_object;

// Accesses to 8 bytes each, at base, base + stride …, in rounds.
struct work_walk {
    u64 turns;        // > 0
    u64 base, stride; // bytes
    u64 mask;         // bytes of a round (a power of two) less 1
};

struct work_object_ops {
    struct co_ops base;
    s64 (*touch)(struct work_object *self); // 0
    // Returns the object's stamp: a value derived from its COID, kept in its root and spoilt when
    // freed.
    s64 (*stamp)(struct work_object *self);
    // Runs 2 * iterations instructions in one loop; returns 0.
    s64 (*spin)(struct work_object *self, u64 iterations);
    // Does the same with interrupts soft-masked; returns 0.
    s64 (*spin_masked)(struct work_object *self, u64 iterations);
    // Does the same, two helper functions further down; returns 0.
    s64 (*spin_nested)(struct work_object *self, u64 iterations);
    // Runs iterations times four instructions in one loop: a load with reservation and a
    // conditional store to a word of its own, and two conditional branches; returns 0.
    s64 (*reserve)(struct work_object *self, u64 iterations);
    // Runs the same loads with reservation, but none of the stores is ever executed; 5
    // instructions, 2 conditional branches.
    s64 (*look)(struct work_object *self, u64 iterations);
    // Runs iterations times two instructions. The branch back is hinted as not taken, or as taken;
    // returns 0.
    s64 (*hint_wrong)(struct work_object *self, u64 iterations);
    s64 (*hint_right)(struct work_object *self, u64 iterations);
    // Runs iterations times eight additions, each to the one before, and a branch hinted as taken;
    // returns 0.
    s64 (*add)(struct work_object *self, u64 iterations);
    // Reads, or writes, in a loop of four instructions; returns 0.
    s64 (*read_walk)(struct work_object *self, const struct work_walk *walk);
    s64 (*write_walk)(struct work_object *self, const struct work_walk *walk);
};

struct work_object {
    CO_REP(struct work_object_ops);
};

extern struct co_class work_object_class; // "DemoObject"

// Makes an instance that refers to child_count <= WORK_OBJECT_CHILDREN objects. Returns its COID,
// or an error of co_create. co_destroy ends it. Thread context.
s64 work_object_create(const coid_t *children, u32 child_count);
// Makes count instances without children, all or none. Returns 0 or an error.
int work_objects_create(coid_t *coids, u32 count);
void work_objects_destroy(const coid_t *coids, u32 count);
// Returns what `stamp` of a live object returns.
s64 work_object_stamp(coid_t coid);

#endif
