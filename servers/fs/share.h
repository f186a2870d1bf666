// SPDX-License-Identifier: MIT
// Files' contents as memory that their users map, so that they read and write without a call
// (docs/files.md): the memory, and the state that tells users what of it is valid and who alone may
// write. States lie in memory that only this server can write.
#ifndef FS_SHARE_H
#define FS_SHARE_H

#include "node.h"

#define SHARES_MAX 128 // at a time
_Static_assert(SHARES_MAX * sizeof(struct fs_state) == FS_STATES_BYTES, "a state each");
#define SHARE_BYTES_MIN (1UL << 14)
#define SHARE_BYTES_MAX (1UL << 24) // what lies behind in a file is read and written by calls

struct share {
    u32 references; // the file's while it is its memory, and its users'
    u32 index;      // of its state
    u64 bytes;
    u8 *base;
    cap_t memory;
};

// Zeroed memory for a file, with one reference; its state says that nothing is there. All its pages
// are there, and count as memory files' until the last reference has gone, whoever writes them.
// NULL: there are SHARES_MAX, or out of memory. Any thread, as all here.
struct share *share_create(u64 bytes);
void share_hold(struct share *share);
void share_put(struct share *share);

// The file is written now, which its state says, too. The file's lock is held.
void share_touch(struct node *node);
// The same for its name, after that has come or gone.
void share_named(struct node *node);

// Around a change of the contents or the length, with the file's lock held. NULL: does nothing.
void share_begin(const struct share *share);
void share_end(const struct share *share, u64 bytes, u64 span);

// The node's memory from now on, or none (NULL): takes over a reference, and puts the one before,
// in which nothing is valid any more. The file's lock is held.
void share_set(struct node *node, struct share *share);
// The opening with that ticket may write alone, if `sole` is so, nobody maps the file and only
// one has opened it; else nobody may. The file is written now. The share is the opening's: E_AGAIN
// if it is no longer the file's.
s64 share_grant(struct node *node, const struct share *share, u64 ticket, bool sole);
// Nobody may write alone any more: after what forbids it has been made so that share_grant sees it.
// A write that has begun comes once more, as a call.
void share_revoke(struct node *node);
// Whether anybody could since the last time.
bool share_was_written(struct node *node);

// The states, as memory that can only be read, and which they are.
s64 share_states(cap_t *memory);
u64 share_states_id(void);

#endif
