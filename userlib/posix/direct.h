// SPDX-License-Identifier: MIT
// Contents of a file that is used much, as memory: reading and writing without calls. The file's
// state, which only the server can write, says how long the file is, how much of it is in the
// memory, and whether this opening alone may write (docs/files.md, "Without calls").
// Why the library does this: docs/design/library-reads.md.
#ifndef POSIX_DIRECT_H
#define POSIX_DIRECT_H

#include "file.h"

#include <user/lock.h>

#define DIRECT_OTHERWISE (-1L) // by a call

// One for each file. It is made after so many calls (uses) on a file.
struct direct {
    struct mutex lock; // of all below, around each use of the file
    const u8 *data;    // NULL: not mapped
    u64 bytes;
    const struct fs_state *state;
    u64 ticket;
    u64 lease, write_lease; // time base until which they hold
    bool never_written;     // so by this opening
    bool own_position;      // the opening is ours alone: its position is here, not at the server
    u64 position;
    u64 id; // what a call said of the file that stays so; 0: none has so far
    u32 kind, writable;
};

// Asks the server for the memory after so many uses. If it gives none, nothing has changed. Lock
// held.
void direct_map(struct fd_file *file, struct direct *direct, u64 uses);
// Read and write. Return the bytes done, or DIRECT_OTHERWISE: then nothing has been done that a
// call with the same bytes does not do again. Lock held.
s64 direct_read(struct fd_file *file, struct direct *direct, void *to, u64 bytes, u64 offset);
s64 direct_write(struct fd_file *file, struct direct *direct, const void *from, u64 bytes,
                 u64 offset);
// Fills in what a call would say of the file. Returns false if it cannot: ask the server, and give
// the answer to direct_know. Lock held.
bool direct_stat(struct fd_file *file, struct direct *direct, struct fs_stat *info);
void direct_know(struct direct *direct, const struct fs_stat *info);
// Gets the file's length alone. Lock held.
bool direct_bytes(struct fd_file *file, struct direct *direct, u64 *bytes);
void direct_end(struct direct *direct); // frees it

#endif
