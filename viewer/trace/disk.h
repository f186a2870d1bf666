// SPDX-License-Identifier: MIT
// Reads the newest whole snapshot of /data from a file with the machine's disk (docs/files.md). The
// machine may be off or on.
#ifndef KOV_DISK_H
#define KOV_DISK_H

#include "tools/kov.h"

struct disk {
    const char *path;
    u8 *image;
    size_t bytes;
    const u8 *archive; // points into the image
    u64 archive_bytes;
};

int disk_open(struct disk *disk, const char *path);
void disk_close(struct disk *disk);
// Calls take for each file that is directly in a folder, which is given by its path below /data.
// Stops if take fails.
int disk_files(const struct disk *disk, const char *folder,
               int (*take)(void *context, const char *name, const u8 *data, u64 bytes),
               void *context);

#endif
