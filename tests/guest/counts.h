// SPDX-License-Identifier: MIT
// What the monitor's calls say about given objects: DREF counts and scan records.
#ifndef GUEST_COUNTS_H
#define GUEST_COUNTS_H

#include <orrery/types.h>

#define COUNTED_OBJECTS_MAX 64

struct dref_counts {
    u64 invocations[COUNTED_OBJECTS_MAX][ORRERY_MAX_CPUS];
    u64 misses[COUNTED_OBJECTS_MAX][ORRERY_MAX_CPUS];
};
// Reads the counts of coids[0 … count-1], count <= COUNTED_OBJECTS_MAX, through sys_dref_read. 0 or
// an error. Thread context.
int dref_counts_read(const coid_t *coids, u32 count, struct dref_counts *counts);

struct sys_object;
// Scans all objects through sys_object_scan and shows each record to visit. Returns how many, or an
// error. Thread context.
s64 scan_objects(void (*visit)(const struct sys_object *object, void *argument), void *argument);

#endif
