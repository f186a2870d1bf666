// SPDX-License-Identifier: MIT
// The initial file system: a cpio archive ("newc" format), read where it lies. Nothing in it is
// trusted.
#ifndef CPIO_CPIO_H
#define CPIO_CPIO_H

#include <orrery/types.h>

#define CPIO_NAME_MAX 1023

struct cpio {
    const u8 *data;
    u64 bytes;
    u64 next; // offset of the next entry
};

struct cpio_entry {
    char name[CPIO_NAME_MAX + 1]; // without leading "/" or "./"
    bool directory;
    u64 offset, bytes; // of the contents, in the archive
    u64 seconds;       // when it was last written, since 1970
};

// Finds the next directory or regular file; passes over other kinds of entries. Returns 1, 0 at the
// end, or E_PROTO if the archive is damaged (the entries before are good).
s64 cpio_next(struct cpio *archive, struct cpio_entry *entry);

#endif
