// SPDX-License-Identifier: MIT
// The records that fs.idl's `list` returns, as its servers write them. Any context.
#ifndef IPC_FS_ENTRY_H
#define IPC_FS_ENTRY_H

#include <ipc/fs.h>
#include <string.h>

// Writes the record of an entry: struct fs_entry, the name without its NUL, and zeroes up to a
// multiple of 8. kind: FS_KIND_*. Returns the bytes of the record, or 0 if room (in bytes) is too
// small: then nothing is written.
static inline u64 fs_entry_put(u8 *to, u64 room, u64 id, u32 kind, const char *name)
{
    struct fs_entry entry = {.id = id, .kind = kind, .name_bytes = (u32)strlen(name)};
    u64 bytes = ALIGN_UP(sizeof(entry) + entry.name_bytes, 8UL);
    if (bytes > room)
        return 0;
    memset(to, 0, bytes);
    memcpy(to, &entry, sizeof(entry));
    memcpy(to + sizeof(entry), name, entry.name_bytes);
    return bytes;
}

#endif
