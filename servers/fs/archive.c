// SPDX-License-Identifier: MIT
// Writes cpio archives.
#include "archive.h"

#include <cpio/cpio.h>
#include <orrery/errors.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 110
#define HEADER_SIZE_AT 54 // where the header has the size of the contents, eight digits
#define MODE_DIRECTORY 0040755
#define MODE_FILE 0100644
#define ROOM_MIN 0x10000UL

// Adds zero bytes to the archive. Returns the first of them, or NULL if there is no memory.
static u8 *extend(struct archive *archive, u64 bytes)
{
    u64 wanted = archive->bytes + bytes;
    if (wanted > archive->room) {
        u64 room = archive->room * 2 > wanted ? archive->room * 2 : wanted;
        room = room > ROOM_MIN ? room : ROOM_MIN;
        u8 *data = realloc(archive->data, room);
        if (data == NULL)
            return NULL;
        archive->data = data;
        archive->room = room;
    }
    u8 *at = archive->data + archive->bytes;
    memset(at, 0, bytes);
    archive->bytes = wanted;
    return at;
}

s64 archive_add(struct archive *archive, const char *name, bool directory, u64 seconds, u64 bytes,
                u8 **contents)
{
    char header[HEADER_BYTES + 1];
    u64 name_bytes = strlen(name) + 1;
    if (name_bytes > CPIO_NAME_MAX + 1 || bytes > UINT32_MAX)
        return E_LIMIT;
    u64 head_bytes = ALIGN_UP(HEADER_BYTES + name_bytes, 4UL);
    u8 *at = extend(archive, head_bytes + ALIGN_UP(bytes, 4UL));
    if (at == NULL)
        return E_NOMEM;
    // inode, mode, uid, gid, links, time, bytes, four device numbers, bytes of the name, check
    snprintf(header, sizeof(header), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
             (u32)++archive->entries, directory ? MODE_DIRECTORY : MODE_FILE, 0u, 0u, 1u,
             (u32)seconds, (u32)bytes, 0u, 0u, 0u, 0u, (u32)name_bytes, 0u);
    memcpy(at, header, HEADER_BYTES);
    memcpy(at + HEADER_BYTES, name, name_bytes);
    *contents = at + head_bytes;
    archive->last = (u64)(at - archive->data);
    archive->last_contents = archive->last + head_bytes;
    return 0;
}

void archive_shorten(struct archive *archive, u64 bytes)
{
    char size[9];
    u64 end = archive->last_contents + ALIGN_UP(bytes, 4UL);
    snprintf(size, sizeof(size), "%08x", (u32)bytes);
    memcpy(archive->data + archive->last + HEADER_SIZE_AT, size, 8);
    memset(archive->data + archive->last_contents + bytes, 0, ALIGN_UP(bytes, 4UL) - bytes);
    archive->bytes = end;
}

void archive_take_back(struct archive *archive)
{
    archive->bytes = archive->last;
    archive->entries--;
}

s64 archive_end(struct archive *archive)
{
    u8 *none;
    s64 status = archive_add(archive, "TRAILER!!!", false, 0, 0, &none);
    u64 rest = ALIGN_UP(archive->bytes, (u64)ARCHIVE_UNIT) - archive->bytes;
    if (status == 0 && extend(archive, rest) == NULL)
        status = E_NOMEM;
    return status;
}

void archive_free(struct archive *archive)
{
    free(archive->data);
    *archive = (struct archive){0};
}
