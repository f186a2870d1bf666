// SPDX-License-Identifier: MIT
// Writes cpio archives ("newc") into memory, for cpio/cpio.h to read. One thread uses an archive.
#ifndef FS_ARCHIVE_H
#define FS_ARCHIVE_H

#include <orrery/types.h>

#define ARCHIVE_UNIT 512 // the size of an archive is a multiple of this

struct archive { // zeroed by the caller at the start
    u8 *data;
    u64 bytes, room;
    u64 entries;
    u64 last, last_contents; // offsets of the last entry and of its contents
};

// Adds a directory or a file. *contents points to its zeroed bytes, which the caller fills before
// the next call. name: at most CPIO_NAME_MAX characters. seconds: since 1970. Returns 0, E_LIMIT if
// the name is longer or the file has 4 GB or more, or E_NOMEM.
s64 archive_add(struct archive *archive, const char *name, bool directory, u64 seconds, u64 bytes,
                u8 **contents);
// Cuts the last entry's contents to so many bytes, at most what they have.
void archive_shorten(struct archive *archive, u64 bytes);
// Takes the last entry out. Once, after archive_add.
void archive_take_back(struct archive *archive);
// Adds the archive's end. Returns 0 or E_NOMEM.
s64 archive_end(struct archive *archive);
void archive_free(struct archive *archive);

#endif
