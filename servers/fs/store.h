// SPDX-License-Identifier: MIT
// The disk behind /data. Its contents are loaded at the start, and saved as a whole.
#ifndef FS_STORE_H
#define FS_STORE_H

#include <orrery/types.h>

#define STORE_POINT "/data"

enum store_found {
    STORE_FOUND_NOTHING = 1, // a fresh disk
    STORE_FOUND_NEWEST,
    STORE_FOUND_OLDER,   // the newest whole snapshot; the other slot is damaged
    STORE_FOUND_DAMAGED, // no snapshot is whole
};

// Makes /data if there is a disk, and loads it. Returns an enum store_found. Errors without a
// /data: E_NOENT (no disk), E_LIMIT (the disk is too small), E_EXIST (something else is on it),
// E_IO, E_NOMEM. E_PROTO, E_LIMIT or E_NOMEM from loading set *partly, and leave a /data that takes
// nothing. Called once, at the start, after memory_files_limit.
s64 store_start(bool *partly);
// Saves /data if it has changed. Returns 0, E_IO, E_NOMEM or E_LIMIT. On error the disk keeps the
// state before. Any thread, with no lock held.
s64 store_save(void);

#endif
