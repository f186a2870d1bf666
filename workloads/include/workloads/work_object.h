// SPDX-License-Identifier: MIT
// The clustered objects that workloads work on: one shared implementation whose methods do work of
// known length, and which holds references as it is told.
#ifndef WORKLOADS_WORK_OBJECT_H
#define WORKLOADS_WORK_OBJECT_H

#include <co/object.h>

#define WORK_OBJECT_CHILDREN 4

struct work_object;

// Accesses to 8 bytes each: at base, base + stride …, round and round.
struct work_walk {
    u64 turns;        // > 0
    u64 base, stride; // bytes
    u64 mask;         // bytes of a round, a power of two, less 1
};

struct work_object_ops {
    struct co_ops base;
    s64 (*touch)(struct work_object *self); // 0
    // The object's stamp: a value derived from its COID, kept in its root and spoilt when freed.
    s64 (*stamp)(struct work_object *self);
    // 2 * iterations instructions in one loop; 0.
    s64 (*spin)(struct work_object *self, u64 iterations);
    // The same with interrupts soft-masked; 0.
    s64 (*spin_masked)(struct work_object *self, u64 iterations);
    // The same, two helper functions further down; 0.
    s64 (*spin_nested)(struct work_object *self, u64 iterations);
    // iterations times four instructions in one loop: a load with reservation and a conditional
    // store to a word that is nobody else's, and two conditional branches; 0.
    s64 (*reserve)(struct work_object *self, u64 iterations);
    // The same loads with reservation, but none of the stores is ever executed; 5 instructions,
    // 2 conditional branches.
    s64 (*look)(struct work_object *self, u64 iterations);
    // iterations times two instructions, of which the branch back is hinted as not taken,
    // or as taken; 0.
    s64 (*hint_wrong)(struct work_object *self, u64 iterations);
    s64 (*hint_right)(struct work_object *self, u64 iterations);
    // iterations times eight additions, each to the one before, and a branch hinted as taken; 0.
    s64 (*add)(struct work_object *self, u64 iterations);
    // Reads, or writes, in a loop of four instructions; 0.
    s64 (*read_walk)(struct work_object *self, const struct work_walk *walk);
    s64 (*write_walk)(struct work_object *self, const struct work_walk *walk);
};

struct work_object {
    CO_REP(struct work_object_ops);
};

extern struct co_class work_object_class; // "DemoObject"

// Makes an instance that refers to child_count <= WORK_OBJECT_CHILDREN objects. Returns its COID,
// or an error of co_create. Ends by co_destroy. Thread context.
s64 work_object_create(const coid_t *children, u32 child_count);
// Makes count of them without children, all or none. 0 or an error.
int work_objects_create(coid_t *coids, u32 count);
void work_objects_destroy(const coid_t *coids, u32 count);
// What `stamp` of an object returns while it lives.
s64 work_object_stamp(coid_t coid);

#endif
