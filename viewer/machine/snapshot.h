// SPDX-License-Identifier: MIT
// What is known of the machine's processes, classes and objects. Scans fill it, and it gives names.
// COIDs and class ids are those of one process; pid 0 is the kernel.
#ifndef KOV_SNAPSHOT_H
#define KOV_SNAPSHOT_H

#include "machine/failures.h"

struct process_info {
    u32 pid, parent;
    u32 state; // PROCESS_STATE_* of the protocol
    u32 rights, priority;
    u32 dispatchers; // mask of CPUs
    coid_t object;   // its Process object, in the kernel
    u64 start_time, cpu_ticks;
    u64 memory_pages, faults, calls, events;
    char *name;
};

#define CLASS_SWAPS_MAX 4

struct class_info {
    u32 pid, id;
    u32 size; // bytes of root and one representative
    u32 live; // instances
    bool distributed;
    u32 swaps[CLASS_SWAPS_MAX]; // classes that its objects can become; 0: no more
    char *name, *implementation;
};

struct object_info {
    u32 pid;
    coid_t coid;
    u64 misses;
    u32 class_id;
    u32 reps;
    u32 swaps; // of its implementation, so far
    u32 child_count;
    coid_t *children;
};

struct snapshot {
    struct process_info *processes; // by pid
    size_t process_count, process_capacity;
    u64 process_time;           // when the processes were listed, in time base ticks
    struct class_info *classes; // by pid, then id
    size_t class_count, class_capacity;
    struct object_info *objects; // by pid, then COID
    size_t object_count, object_capacity;
    size_t child_count;       // of all objects
    struct failures failures; // of the last scan: processes whose own part is missing
};

// These copy what they are given. An entry of the same numbers is replaced, so the latest scan
// wins. They are fastest when many entries come in rising order.
void snapshot_add_process(struct snapshot *snapshot, const struct process_info *info);
void snapshot_add_class(struct snapshot *snapshot, const struct class_info *info);
void snapshot_add_objects(struct snapshot *snapshot, const struct object_info *infos, size_t count);
void snapshot_free(struct snapshot *snapshot);

// These return NULL when it is not known.
struct process_info *snapshot_process(const struct snapshot *snapshot, u32 pid);
const struct class_info *snapshot_class(const struct snapshot *snapshot, u32 pid, u32 id);
const struct object_info *snapshot_object(const struct snapshot *snapshot, u32 pid, coid_t coid);

#define OBJECT_NAME_BYTES 192
// Writes "Class(implementation)", or "class 7" when the class is not known.
void snapshot_class_name(const struct snapshot *snapshot, u32 pid, u32 id,
                         char name[OBJECT_NAME_BYTES]);
// Writes "Class(implementation) 0xcoid", or "[gone] 0xcoid" when no scan saw the object. A
// process's own objects have " of name:pid" at the end.
void snapshot_object_name(const struct snapshot *snapshot, u32 pid, coid_t coid,
                          char name[OBJECT_NAME_BYTES]);
// Writes "kernel", "name:pid", or "pid 7" when the process is not known.
void snapshot_process_name(const struct snapshot *snapshot, u32 pid, char name[OBJECT_NAME_BYTES]);

#endif
