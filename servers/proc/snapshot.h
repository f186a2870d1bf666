// SPDX-License-Identifier: MIT
// Open files of /proc: their contents as they were when they were opened. Clustered objects.
#ifndef PROC_SNAPSHOT_H
#define PROC_SNAPSHOT_H

#include "contents.h"

#include <co/object.h>
#include <handles/handles.h>

struct snapshot {
    struct co_root root; // first
    struct co_rep rep;
    struct place place;
    u64 time;
    u32 references;
    struct mutex lock;
    u64 position; // under lock
    struct text text;
};

extern struct handle_table snapshots;

// The contents of a place, as a handle of process pid. Errors of the contents; E_LIMIT, E_NOMEM.
s64 snapshot_open(const struct place *place, u32 pid, u64 *handle);
struct snapshot *snapshot_get(u64 handle, u32 pid); // NULL: E_STALE
void snapshot_put(struct snapshot *snapshot);
// Registers the table as an object.
s64 snapshots_start(void);

#endif
