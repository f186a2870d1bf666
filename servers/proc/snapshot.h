// SPDX-License-Identifier: MIT
// Open files of /proc. Each is a clustered object that keeps the contents as they were at open.
// Any thread may call what is declared here.
#ifndef PROC_SNAPSHOT_H
#define PROC_SNAPSHOT_H

#include "contents.h"

#include <co/object.h>
#include <handles/handles.h>
#include <orrery/held.h>

struct snapshot {
    struct co_root root; // first
    struct co_rep rep;
    struct place place;
    u64 time; // of the open: nanoseconds since 1970
    u32 references;
    struct mutex lock;
    u64 position; // under lock
    struct text text;
};

extern struct handle_table snapshots;

// Takes a snapshot of a place and gives process pid a handle for it. Returns 0, an error of the
// place's contents, E_LIMIT or E_NOMEM.
s64 snapshot_open(const struct place *place, u32 pid, u64 *handle);
// Returns the snapshot of a handle, held until snapshot_put. Returns NULL if the process has no
// such handle (E_STALE).
struct snapshot *snapshot_get(u64 handle, u32 pid);
void snapshot_put(struct snapshot *snapshot);
static inline void snapshot_put_held(struct snapshot **snapshot)
{
    if (*snapshot != NULL)
        snapshot_put(*snapshot);
}
// Registers the table of snapshots as an object. Returns 0 or an error. Called once, at the start.
s64 snapshots_start(void);

#endif
