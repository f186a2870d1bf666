// SPDX-License-Identifier: MIT
// Open files: openings with a position. Handles (handles/handles.h) name them. Any thread may call
// what is declared here.
#ifndef FS_OPENING_H
#define FS_OPENING_H

#include "node.h"
#include "pipe.h"

#include <handles/handles.h>
#include <orrery/held.h>

struct opening {
    struct co_root root; // first
    struct co_rep rep;
    struct node *node; // the open file, held; or NULL
    struct pipe *pipe; // or the pipe that this is an end of
    enum pipe_end end;
    u32 flags;      // FS_READ, FS_WRITE, FS_APPEND
    u32 references; // handles, and calls that use it
    struct mutex lock;
    u64 position;        // bytes; under lock
    u64 ticket;          // a number that no other opening ever has
    bool passed;         // other processes may have a handle, too
    struct share *share; // the memory that its user maps, held; under lock
};

extern struct handle_table open_files;

// Creates the OpenFileTable object. Its children are the openings. Returns 0 or an error.
s64 openings_create(void);
coid_t openings_coid(void);
u64 openings_count(void);

// Create an opening, with its first handle, for process pid. They take over the reference to node,
// or the pipe's end, also on error. They return 0, E_LIMIT or E_NOMEM.
s64 opening_create(struct node *node, u32 flags, u32 pid, u64 *handle);
s64 opening_create_pipe(struct pipe *pipe, enum pipe_end end, u32 pid, u64 *handle);

// Returns the opening of a handle, held until opening_put. Returns NULL if process pid has no such
// handle (E_STALE).
struct opening *opening_get(u64 handle, u32 pid);
void opening_put(struct opening *opening);
static inline void opening_put_held(struct opening **opening)
{
    if (*opening != NULL)
        opening_put(*opening);
}

#endif
