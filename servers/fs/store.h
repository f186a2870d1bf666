// SPDX-License-Identifier: MIT
// The disk behind /data: what is there is loaded at the start, and saved as a whole.
#ifndef FS_STORE_H
#define FS_STORE_H

#include <orrery/types.h>

#define STORE_POINT "/data"

enum store_found {
    STORE_FOUND_NOTHING = 1, // a fresh disk
    STORE_FOUND_NEWEST,
    STORE_FOUND_OLDER,   // the newest whole one: the other slot is damaged
    STORE_FOUND_DAMAGED, // there was something, but nothing whole
};

// Makes /data if there is a disk, and loads it: enum store_found. Without /data: E_NOENT (no disk),
// E_LIMIT (it is too small), E_EXIST (something else is on it), E_IO, E_NOMEM. Once, at the start,
// with the limit of memory files known.
// E_PROTO, or E_LIMIT from loading, leave a /data that takes nothing: *partly.
s64 store_start(bool *partly);
// Puts what has changed on the disk, if anything has. On error the state before stays there: E_IO,
// E_NOMEM, E_LIMIT. Any thread, no lock held.
s64 store_save(void);

#endif
