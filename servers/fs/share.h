// SPDX-License-Identifier: MIT
// Contents of files as memory. Users map it, and read and write without a call (docs/files.md).
// Each file has such memory and a state, which tells its users what part of it is valid and who may
// write alone. States lie in memory that only this server can write. Any thread may call what is
// declared here.
#ifndef FS_SHARE_H
#define FS_SHARE_H

#include "node.h"

#define SHARES_MAX 128 // at the same time
_Static_assert(SHARES_MAX * sizeof(struct fs_state) == FS_STATES_BYTES, "a state each");
#define SHARE_BYTES_MIN (1UL << 14)
#define SHARE_BYTES_MAX (1UL << 24) // the rest of a longer file is read and written by calls

struct share {
    u32 references; // one of the file while this is its memory, and one of each opening
    u32 index;      // of its state
    u64 bytes;
    u8 *base;
    cap_t memory;
    u64 badge; // with which the kernel tells that nobody holds the memory any more
};

// endpoint: where the kernel tells that memory has ended. Before the first share.
void share_start(cap_t endpoint);

// Creates zeroed memory for a file, with one reference, and a state that says that nothing is
// valid. All its pages are allocated, and are in the account of pages.h until the last reference
// has gone, and until no client holds or maps the memory. Returns NULL if there are SHARES_MAX, or
// no memory.
struct share *share_create(u64 bytes);
void share_hold(struct share *share);
void share_put(struct share *share);

// Sets the time of the last write to now, in the node and in its state. The caller holds the file's
// lock.
void share_touch(struct node *node);
// Sets the state's links after the file got its name or lost it.
void share_named(struct node *node);

// Surround a change of the contents or the length. bytes: the new length. span: the bytes from the
// start on that are valid in the memory. They do nothing for NULL. The caller holds the file's
// lock.
void share_begin(const struct share *share);
void share_end(const struct share *share, u64 bytes, u64 span);

// Makes a share the node's memory, or takes the memory away (NULL). Takes over a reference. Puts
// the share before, in which nothing is valid any more. The caller holds the file's lock.
void share_set(struct node *node, struct share *share);
// Lets the opening with this ticket write alone, if it is the sole user of its file: `sole` is
// true, nobody maps the file, and it is open once. Else nobody may write alone. Counts as a write
// to the file. share: the opening's. Returns 0, or E_AGAIN if that is no longer the file's memory.
s64 share_grant(struct node *node, const struct share *share, u64 ticket, bool sole);
// Takes the permission to write alone away. Called after the reason has been stored where
// share_grant sees it. A user that is about to write does so again, by a call.
void share_revoke(struct node *node);
// Returns true if anybody could write alone since the last call.
bool share_was_written(struct node *node);

// Sets *memory to the read-only memory of all states. Returns 0 or E_LIMIT.
s64 share_states(cap_t *memory);
// Returns the id of these states, which differs from that of an earlier run of the server.
u64 share_states_id(void);

#endif
