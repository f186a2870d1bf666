// SPDX-License-Identifier: MIT
// What lies in a kept directory (/data): how much room it takes on the disk, whether it has
// changed, and the tree of it as an archive. A node is kept from its creation in a kept directory
// on to its end.
#ifndef FS_KEPT_H
#define FS_KEPT_H

#include "archive.h"
#include "node.h"

// What a name takes at most: its entry in the archive, with padding.
#define KEPT_NAME_BYTES 1200UL
// What an archive takes besides: its end, and filling.
#define KEPT_END_BYTES 1024UL

// Any thread, any lock held.
void kept_limit(u64 bytes);   // how much there may be; 0 at first
bool kept_reserve(u64 bytes); // false: it would be more than the limit
void kept_release(u64 bytes); // what was reserved and is not, or no longer, needed
void kept_changed(void);      // names or contents have
u64 kept_changes(void);       // how often

// The files and directories below top. The lock on directories is not held. E_NOMEM,
// E_LIMIT: a path is too long.
s64 kept_write(struct directory *top, struct archive *archive);
// The archive can be read to its end.
bool kept_valid(const u8 *archive, u64 bytes);
// Makes what a valid archive has below the directory point. E_LIMIT, E_NOMEM: only a part is there
// now; E_PROTO: names that cannot be, or that contradict each other.
s64 kept_read(const char *point, const u8 *archive, u64 bytes);

#endif
