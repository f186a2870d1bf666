// SPDX-License-Identifier: MIT
// Open files: openings with a position, named by handles (handles/handles.h).
#ifndef FS_OPENING_H
#define FS_OPENING_H

#include "node.h"
#include "pipe.h"

#include <handles/handles.h>

struct opening {
    struct co_root root; // first
    struct co_rep rep;
    struct node *node; // held, or
    struct pipe *pipe; // an end of it
    enum pipe_end end;
    u32 flags;      // FS_READ, FS_WRITE, FS_APPEND
    u32 references; // handles, and calls that use it
    struct mutex lock;
    u64 position;        // under lock
    u64 ticket;          // never that of another
    bool passed;         // other processes may have it, too
    struct share *share; // memory that it uses, held; under lock
};

extern struct handle_table open_files;

// The OpenFileTable object. Its children are the openings. 0 or an error.
s64 openings_create(void);
coid_t openings_coid(void);
u64 openings_count(void);

// A new opening, with its first handle, of process pid. Takes over the reference to node,
// or the pipe's end, also on error.
// E_LIMIT, E_NOMEM.
s64 opening_create(struct node *node, u32 flags, u32 pid, u64 *handle);
s64 opening_create_pipe(struct pipe *pipe, enum pipe_end end, u32 pid, u64 *handle);

// The opening that a handle names, to be given back by opening_put; NULL: E_STALE.
struct opening *opening_get(u64 handle, u32 pid);
void opening_put(struct opening *opening);

#endif
