// SPDX-License-Identifier: MIT
// The machine's disk on the host, in the machine's own format. Nothing in it is trusted.
#include "record/disk.h"
#include "tools/memory.h"
#include "trace/file.h"

#include <cpio/cpio.h>
#include <errno.h>
#include <fcntl.h>
#include <fs/snapshot.h>
#include <inttypes.h>
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

static enum snapshot_state state_of(const struct disk *disk, u64 at, u64 slot_bytes,
                                    struct snapshot *snapshot)
{
    if (at + SNAPSHOT_HEADER_BYTES > disk->bytes)
        return SNAPSHOT_EMPTY;
    return snapshot_read(disk->image + at, slot_bytes, snapshot);
}

// Fails if the disk has another size than when its snapshots were made.
static int check_size(const struct disk *disk, u64 slot_bytes)
{
    struct snapshot snapshot;
    if (state_of(disk, 0, slot_bytes, &snapshot) != SNAPSHOT_RESIZED)
        return KOV_OK;
    u64 made_for = snapshot_disk_bytes(snapshot.slot_bytes);
    return fail(KOV_FAILED, "%s: the disk was made with %" PRIu64 " bytes and has %zu: it was %s",
                disk->path, made_for, disk->bytes, disk->bytes < made_for ? "cut" : "lengthened");
}

static bool is_ours(const struct disk *disk, u64 slot_bytes)
{
    struct snapshot snapshot;
    for (u32 i = 0; i < SNAPSHOT_SLOTS; i++) {
        u64 at = i * slot_bytes;
        enum snapshot_state state = state_of(disk, at, slot_bytes, &snapshot);
        if (snapshot_begins(disk->image + at + SNAPSHOT_HEADER_BYTES))
            return true;
        if (state != SNAPSHOT_EMPTY && state != SNAPSHOT_FOREIGN)
            return true;
    }
    return false;
}

int disk_open(struct disk *disk, const char *path)
{
    *disk = (struct disk){.path = path};
    int code = read_image(disk);
    u64 slot_bytes = snapshot_slot_bytes(disk->bytes);
    if (code == KOV_OK)
        code = check_size(disk, slot_bytes);
    if (code != KOV_OK)
        return code;
    if (slot_bytes == 0 || !choose(disk, slot_bytes))
        return fail(KOV_FAILED, "%s: no whole snapshot of /data in it: %s", path,
                    slot_bytes != 0 && is_ours(disk, slot_bytes)
                        ? "it is damaged"
                        : "not a disk of Orrery, or nothing was saved");
    return KOV_OK;
}

// ---- formatting --------------------------------------------------------------------------------

static bool is_blank(const struct disk *disk)
{
    return disk->bytes == 0 ||
           (disk->image[0] == 0 && memcmp(disk->image, disk->image + 1, disk->bytes - 1) == 0);
}

// A running emulator has a lock on parts of the file.
static bool is_used(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int check_format(const struct disk *disk, bool force)
{
    u64 slot_bytes = snapshot_slot_bytes(disk->bytes);
    if (slot_bytes == 0)
        return fail(KOV_FAILED, "%s: a disk has at least %" PRIu64 " bytes", disk->path,
                    snapshot_disk_bytes(SNAPSHOT_SLOT_MIN));
    if (!force && !is_blank(disk) && !is_ours(disk, slot_bytes))
        return fail(KOV_FAILED, "%s holds something else than /data: --force destroys it",
                    disk->path);
    return KOV_OK;
}

int disk_format(const char *path, bool force, u64 *bytes)
{
    struct disk disk = {.path = path};
    int code = read_image(&disk);
    *bytes = disk.bytes;
    if (code == KOV_OK)
        code = check_format(&disk, force);
    disk_close(&disk);
    if (code != KOV_OK)
        return code;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return fail(KOV_FAILED, "cannot write to %s: %s", path, strerror(errno));
    if (is_used(file))
        code = fail(KOV_FAILED, "%s is in use: end its machine first", path);
    else if (ftruncate(file, 0) != 0 || ftruncate(file, (off_t)*bytes) != 0 || fsync(file) != 0)
        code = fail(KOV_FAILED, "cannot format %s: %s", path, strerror(errno));
    close(file);
    return code;
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
    if (disk->archive_bytes == 0) // no file at all
        return KOV_OK;
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
