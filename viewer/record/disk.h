// SPDX-License-Identifier: MIT
// A file with the machine's disk (docs/files.md): reads the newest whole snapshot of /data, while
// the machine is off or on, and begins it anew.
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

// Fails with what is wrong with the disk, if it has no whole snapshot or its size has changed.
int disk_open(struct disk *disk, const char *path);
void disk_close(struct disk *disk);
// Calls take for each file that is directly in a folder, which is given by its path below /data.
// Stops if take fails.
int disk_files(const struct disk *disk, const char *folder,
               int (*take)(void *context, const char *name, const u8 *data, u64 bytes),
               void *context);

// Makes the disk blank, of the same size. Refuses one that is in use and, without force, one that
// holds something else than snapshots. *bytes: its size.
int disk_format(const char *path, bool force, u64 *bytes);

#endif
