// SPDX-License-Identifier: MIT
// Reads the machine's disk on the host, in the machine's own format. It trusts nothing in it.
#include "trace/disk.h"
#include "tools/memory.h"
#include "trace/engine/file.h"

#include <cpio/cpio.h>
#include <errno.h>
#include <fcntl.h>
#include <fs/snapshot.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Makes a copy, since a running machine may write to the disk meanwhile.
static int read_image(struct disk *disk)
{
    struct stat about;
    int file = open(disk->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail(KOV_FAILED, "cannot open %s: %s", disk->path, strerror(errno));
    bool good = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    disk->bytes = good ? (size_t)about.st_size : 0;
    disk->image = memory_get(disk->bytes + 1);
    good = good && file_read(file, disk->image, disk->bytes, 0) == (s64)disk->bytes;
    close(file);
    return good ? KOV_OK : fail(KOV_FAILED, "cannot read all of %s", disk->path);
}

// Chooses the newest slot whose archive is whole.
static bool choose(struct disk *disk, u64 slot_bytes)
{
    u64 newest = 0;
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++) {
        const u8 *slot = disk->image + i * slot_bytes;
        struct snapshot snapshot;
        if (snapshot_read(slot, slot_bytes, &snapshot) != SNAPSHOT_GOOD ||
            !snapshot_matches(&snapshot, slot + SNAPSHOT_HEADER_BYTES) ||
            (disk->archive != NULL && snapshot.generation < newest))
            continue;
        newest = snapshot.generation;
        disk->archive = slot + SNAPSHOT_HEADER_BYTES;
        disk->archive_bytes = snapshot.bytes;
    }
    return disk->archive != NULL;
}

int disk_open(struct disk *disk, const char *path)
{
    *disk = (struct disk){.path = path};
    int code = read_image(disk);
    if (code != KOV_OK)
        return code;
    u64 slot_bytes = snapshot_slot_bytes(disk->bytes);
    if (slot_bytes == 0 || !choose(disk, slot_bytes))
        return fail(KOV_FAILED,
                    "%s: no whole snapshot of /data in it: not a disk of Orrery, or "
                    "nothing was saved",
                    path);
    return KOV_OK;
}

void disk_close(struct disk *disk)
{
    free(disk->image);
    *disk = (struct disk){0};
}

// Returns the name of an entry that is directly in the folder. NULL: it is elsewhere.
static const char *name_in(const struct cpio_entry *entry, const char *folder)
{
    size_t length = strlen(folder);
    if (entry->directory || strncmp(entry->name, folder, length) != 0)
        return NULL;
    const char *name = entry->name + length;
    if (length > 0 && *name++ != '/')
        return NULL;
    return strchr(name, '/') == NULL ? name : NULL;
}

int disk_files(const struct disk *disk, const char *folder,
               int (*take)(void *context, const char *name, const u8 *data, u64 bytes),
               void *context)
{
    struct cpio cpio = {.data = disk->archive, .bytes = disk->archive_bytes};
    struct cpio_entry entry;
    s64 more;
    while ((more = cpio_next(&cpio, &entry)) > 0) {
        const char *name = name_in(&entry, folder);
        int code =
            name != NULL ? take(context, name, disk->archive + entry.offset, entry.bytes) : KOV_OK;
        if (code != KOV_OK)
            return code;
    }
    return more == 0 ? KOV_OK : fail(KOV_FAILED, "%s: its archive is damaged", disk->path);
}
