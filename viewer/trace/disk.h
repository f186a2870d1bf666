// SPDX-License-Identifier: MIT
// A file with the machine's disk, of a machine that is off or on: the newest whole snapshot of
// /data in it (docs/files.md).
#ifndef KOV_DISK_H
#define KOV_DISK_H

#include "tools/kov.h"

struct disk {
    const char *path;
    u8 *image;
    size_t bytes;
    const u8 *archive; // in the image
    u64 archive_bytes;
};

int disk_open(struct disk *disk, const char *path);
void disk_close(struct disk *disk);
// Calls take for every file right in a folder, by its path below /data. Stops when that fails.
int disk_files(const struct disk *disk, const char *folder,
               int (*take)(void *context, const char *name, const u8 *data, u64 bytes),
               void *context);

#endif
