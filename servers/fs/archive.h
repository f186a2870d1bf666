// SPDX-License-Identifier: MIT
// Writing cpio archives ("newc") into memory, for cpio/cpio.h to read.
#ifndef FS_ARCHIVE_H
#define FS_ARCHIVE_H

#include <orrery/types.h>

#define ARCHIVE_UNIT 512 // an archive's size is a multiple of it

struct archive { // of zeroes at the start
    u8 *data;
    u64 bytes, room;
    u64 entries;
};

// Adds a directory or a file; *contents is where its bytes, zeroes so far, are to be put before the
// next call. name: at most CPIO_NAME_MAX characters. E_LIMIT: longer, or 4 GB; E_NOMEM.
s64 archive_add(struct archive *archive, const char *name, bool directory, u64 seconds, u64 bytes,
                u8 **contents);
s64 archive_end(struct archive *archive); // E_NOMEM
void archive_free(struct archive *archive);

#endif
