// SPDX-License-Identifier: MIT
// Reads what QEMU has recorded.
#include "machine_log.h"

#include "rounds.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MAGIC 0x6a736677736872UL
#define LOG_VERSION 1
#define LOG_FLUSH 1 // a flag of an entry

struct log_super {
    u64 magic, version, entries;
    u32 sector_bytes;
} __attribute__((packed));

struct log_entry { // alone in a sector; the data follow
    u64 sector, sectors, flags, data_bytes;
};

struct log_reader {
    FILE *file;
    struct recording *to;
    u8 data[BLOCK_TRANSFER_MAX];
};

static bool read_sectors(struct log_reader *reader, void *to, u64 bytes)
{
    return fread(to, 1, bytes, reader->file) == bytes;
}

static bool read_mark(struct log_reader *reader)
{
    u32 round;
    if (sscanf((const char *)reader->data, ROUND_MARK, &round) != 1)
        return false;
    recording_mark(reader->to, round);
    return true;
}

static bool read_entry(struct log_reader *reader)
{
    u8 sector[BLOCK_SECTOR];
    struct log_entry entry;
    if (!read_sectors(reader, sector, sizeof(sector)))
        return false;
    memcpy(&entry, sector, sizeof(entry));
    u64 offset = entry.sector * BLOCK_SECTOR, bytes = entry.sectors * BLOCK_SECTOR;
    if (entry.flags == LOG_FLUSH && bytes == 0) {
        recording_add(reader->to, STEP_FLUSH, 0, NULL, 0);
        return true;
    }
    if (entry.flags != 0 || bytes > sizeof(reader->data) ||
        offset + bytes > reader->to->disk_bytes || !read_sectors(reader, reader->data, bytes))
        return false;
    if (offset == reader->to->disk_bytes - BLOCK_SECTOR)
        return read_mark(reader);
    recording_add(reader->to, STEP_WRITE, offset, reader->data, bytes);
    return true;
}

static bool read_entries(struct log_reader *reader)
{
    u8 sector[BLOCK_SECTOR];
    struct log_super super;
    if (!read_sectors(reader, sector, sizeof(sector)))
        return false;
    memcpy(&super, sector, sizeof(super));
    bool good = super.magic == LOG_MAGIC && super.version == LOG_VERSION &&
                super.sector_bytes == BLOCK_SECTOR;
    for (u64 i = 0; i < super.entries && good; i++)
        good = read_entry(reader);
    return good;
}

bool machine_log_read(const char *path, u64 disk_bytes, struct recording *to)
{
    static struct log_reader reader;
    reader = (struct log_reader){.file = fopen(path, "rb"), .to = to};
    recording_begin(to, NULL, disk_bytes, 0);
    bool good = reader.file != NULL && read_entries(&reader);
    if (reader.file != NULL)
        fclose(reader.file);
    if (!good)
        fprintf(stderr, "%s: no recording of a disk, or damaged\n", path);
    return good;
}
