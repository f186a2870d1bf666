// SPDX-License-Identifier: MIT
// Pipes. A pipe is a clustered object: a ring of bytes, and the calls that wait for bytes or for
// room. Any thread may call what is declared here.
#ifndef FS_PIPE_H
#define FS_PIPE_H

#include <co/object.h>

struct pipe;

enum pipe_end { PIPE_READ, PIPE_WRITE };

// Creates a pipe with one reader and one writer. Returns NULL if there is no memory.
struct pipe *pipe_create(void);
coid_t pipe_coid(const struct pipe *pipe);
// Closes an opening of an end. The last one of both ends destroys the pipe.
void pipe_close(struct pipe *pipe, enum pipe_end end);

// Read and write for the request with this call id. They set *moved to the bytes moved (0 from
// pipe_read: the end). no_wait: E_AGAIN instead of waiting. They return 0, E_AGAIN, E_PEER if
// nobody can read, E_LIMIT if too many calls wait, or IPC_LATER of user/ipc.h: then fs_answer_read
// or fs_answer_write gives the answer later.
s64 pipe_read(struct pipe *pipe, u64 call, void *to, u64 bytes, bool no_wait, u64 *moved);
s64 pipe_write(struct pipe *pipe, u64 call, const void *from, u64 bytes, bool no_wait, u64 *moved);
u32 pipe_ready(struct pipe *pipe, enum pipe_end end); // FS_READY_*
u64 pipe_bytes(struct pipe *pipe);

#endif
