// SPDX-License-Identifier: MIT
// What is on the disk behind /data: the newest whole snapshot, or what can still be read. Nothing
// is written here.
#ifndef FS_CONTENTS_H
#define FS_CONTENTS_H

#include "snapshot.h"
#include "store.h"

struct contents {
    enum store_found found;
    u64 slot_bytes; // as the snapshots were made
    u32 slot;       // where the archive stands, or SNAPSHOT_SLOTS
    u64 generation; // the greatest of a good header; 0: there is none
    u8 *archive;    // allocated, or NULL
    u64 bytes;      // of the archive, or of all that may belong to it
};

// Reads a disk of so many bytes. Returns 0, E_LIMIT (too small), E_EXIST (something else is on it),
// E_IO or E_NOMEM. On success the caller frees the archive.
s64 contents_read(u64 disk_bytes, struct contents *contents);

#endif
