// SPDX-License-Identifier: MIT
// Pipes: a ring of bytes, and who waits for bytes or room in it. A clustered object each.
#ifndef FS_PIPE_H
#define FS_PIPE_H

#include <co/object.h>

struct pipe;

enum pipe_end { PIPE_READ, PIPE_WRITE };

struct pipe *pipe_create(void); // with one reader and one writer; NULL: out of memory
coid_t pipe_coid(const struct pipe *pipe);
// An opening of that end ends; with the last of both the pipe goes.
void pipe_close(struct pipe *pipe, enum pipe_end end);

// For the request with this call id. Bytes moved (0: the end), E_AGAIN (no_wait), E_PEER (nobody
// reads), E_LIMIT (too many wait), or IPC_LATER of user/ipc.h: the answer will be given by
// fs_answer_read, fs_answer_write.
s64 pipe_read(struct pipe *pipe, u64 call, void *to, u64 bytes, bool no_wait, u64 *moved);
s64 pipe_write(struct pipe *pipe, u64 call, const void *from, u64 bytes, bool no_wait, u64 *moved);
u32 pipe_ready(struct pipe *pipe, enum pipe_end end); // FS_READY_*
u64 pipe_bytes(struct pipe *pipe);

#endif
