// SPDX-License-Identifier: MIT
// The disk behind /data. Its contents are loaded at the start, and saved as a whole.
#ifndef FS_STORE_H
#define FS_STORE_H

#include <orrery/types.h>

#define STORE_POINT "/data"

enum store_found {
    STORE_FOUND_NOTHING = 1, // a blank disk: zeroes
    STORE_FOUND_NEWEST,
    STORE_FOUND_OLDER,   // the newest whole snapshot; the other slot is damaged
    STORE_FOUND_DAMAGED, // no snapshot is whole: what can be read of one, or nothing
    STORE_FOUND_RESIZED, // the snapshots were made for a disk of another size
};

struct store_about {
    bool partly;         // /data lacks files
    u64 bytes, made_for; // the disk's size, and the size that the snapshots were made for
};

// Makes /data if there is a disk, and loads it. Returns an enum store_found. If that is DAMAGED or
// RESIZED, /data has what can be read, and nothing in it can be changed (E_PERM). Errors without a
// /data: E_NOENT (no disk), E_LIMIT (the disk is too small), E_EXIST (something else is on it),
// E_IO, E_NOMEM. E_PROTO, E_LIMIT or E_NOMEM from loading set about->partly, and leave a /data in
// which nothing can be changed. Called once, at the start, after memory_files_limit.
s64 store_start(struct store_about *about);
// Saves /data if it has changed. Returns 0, E_IO, E_NOMEM or E_LIMIT. On error the disk keeps the
// state before. Any thread, with no lock held.
s64 store_save(void);

#endif
