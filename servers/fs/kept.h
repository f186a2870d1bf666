// SPDX-License-Identifier: MIT
// The contents of a kept directory (/data): the room they take on the disk, their changes, and
// their tree as an archive. A node that is created in a kept directory is kept until it is
// destroyed.
#ifndef FS_KEPT_H
#define FS_KEPT_H

#include "archive.h"
#include "node.h"

#define KEPT_NAME_BYTES 1200UL // the most that a name takes: its entry in the archive, with padding
#define KEPT_END_BYTES 1024UL  // the rest of an archive: its end and filling

// Any thread may call these, with any lock held.
void kept_limit(u64 bytes);   // sets the limit of all room, 0 at first
bool kept_reserve(u64 bytes); // reserves room; false, and nothing, if that exceeds the limit
void kept_release(u64 bytes); // gives back reserved room
void kept_changed(void);      // counts a change of names or contents
u64 kept_changes(void);       // returns the number of changes

// Writes the files and directories below top into an archive, and ends it. Returns 0, E_NOMEM, or
// E_LIMIT if a path is too long. The caller does not hold the lock on directories.
s64 kept_write(struct directory *top, struct archive *archive);
// Returns true if the archive can be read to its end. *entries: how many there are before that.
bool kept_valid(const u8 *archive, u64 bytes, u64 *entries);
// Makes the files and directories of a valid archive below the directory `point`. Returns 0,
// E_LIMIT or E_NOMEM if only a part of them exists now, or E_PROTO for names that are invalid or
// contradict each other.
s64 kept_read(const char *point, const u8 *archive, u64 bytes);
// Makes `top` and all that is below it unchangeable from now on: E_PERM.
void kept_close(struct directory *top);

#endif
