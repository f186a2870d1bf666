// SPDX-License-Identifier: MIT
// Reading cpio archives. An entry is "070701", 13 fields of eight hexadecimal digits, the name with
// its NUL, and the contents. Name and contents are each padded to a multiple of 4; more NULs may
// follow the name to align the contents.
#include <cpio/cpio.h>

#include <orrery/errors.h>
#include <string.h>

#define MAGIC "070701"
#define MAGIC_BYTES 6
#define FIELDS 13
#define FIELD_DIGITS 8
#define HEADER_BYTES (MAGIC_BYTES + FIELDS * FIELD_DIGITS)
#define NAME_BYTES_MAX 0x4000 // with padding for alignment
#define TRAILER "TRAILER!!!"

enum { FIELD_MODE = 1, FIELD_TIME = 5, FIELD_BYTES = 6, FIELD_NAME_BYTES = 11 };

#define MODE_KIND 0170000
#define MODE_DIRECTORY 0040000
#define MODE_REGULAR 0100000

static s32 digit(u8 character)
{
    if (character >= '0' && character <= '9')
        return character - '0';
    if (character >= 'a' && character <= 'f')
        return character - 'a' + 10;
    if (character >= 'A' && character <= 'F')
        return character - 'A' + 10;
    return -1;
}

static bool field(const u8 *header, u32 index, u64 *value)
{
    const u8 *at = header + MAGIC_BYTES + index * FIELD_DIGITS;
    *value = 0;
    for (u32 i = 0; i < FIELD_DIGITS; i++) {
        s32 one = digit(at[i]);
        if (one < 0)
            return false;
        *value = *value << 4 | (u64)one;
    }
    return true;
}

static bool copy_name(const struct cpio *archive, u64 at, u64 bytes, char name[CPIO_NAME_MAX + 1])
{
    const char *from = (const char *)archive->data + at;
    u64 length = strnlen(from, bytes);
    if (length == bytes)
        return false;
    while (length > 0 && (from[0] == '/' || (from[0] == '.' && from[1] == '/'))) {
        u32 skip = from[0] == '/' ? 1 : 2;
        from += skip;
        length -= skip;
    }
    if (length > CPIO_NAME_MAX)
        return false;
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

// Reads one entry of any kind, and its mode into *mode.
static s64 read_entry(struct cpio *archive, struct cpio_entry *entry, u64 *mode)
{
    u64 name_bytes;
    u64 at = archive->next;
    if (at > archive->bytes || archive->bytes - at < HEADER_BYTES)
        return E_PROTO;
    const u8 *header = archive->data + at;
    if (memcmp(header, MAGIC, MAGIC_BYTES) != 0 || !field(header, FIELD_MODE, mode) ||
        !field(header, FIELD_TIME, &entry->seconds) || !field(header, FIELD_BYTES, &entry->bytes) ||
        !field(header, FIELD_NAME_BYTES, &name_bytes))
        return E_PROTO;
    u64 left = archive->bytes - at - HEADER_BYTES;
    if (name_bytes > NAME_BYTES_MAX || name_bytes > left)
        return E_PROTO;
    if (!copy_name(archive, at + HEADER_BYTES, name_bytes, entry->name))
        return E_PROTO;
    entry->offset = ALIGN_UP(at + HEADER_BYTES + name_bytes, 4UL);
    if (entry->offset > archive->bytes || entry->bytes > archive->bytes - entry->offset)
        return E_PROTO;
    archive->next = ALIGN_UP(entry->offset + entry->bytes, 4UL);
    return 0;
}

s64 cpio_next(struct cpio *archive, struct cpio_entry *entry)
{
    for (;;) {
        u64 mode;
        s64 status = read_entry(archive, entry, &mode);
        if (status != 0)
            return status;
        if (strcmp(entry->name, TRAILER) == 0)
            return 0;
        entry->directory = (mode & MODE_KIND) == MODE_DIRECTORY;
        bool regular = (mode & MODE_KIND) == MODE_REGULAR;
        if ((entry->directory || regular) && entry->name[0] != '\0' &&
            strcmp(entry->name, ".") != 0)
            return 1;
    }
}
