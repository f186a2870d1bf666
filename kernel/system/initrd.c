// SPDX-License-Identifier: MIT
// Files of the initial file system: cpio "newc" records. A record is an ASCII header with
// hexadecimal fields, the name, and the contents, each padded to 4 bytes.
#include <kernel/initrd.h>
#include <kernel/memory.h>
#include <orrery/errors.h>
#include <string.h>

#define MAGIC "070701"
#define MAGIC_CRC "070702"
#define MAGIC_BYTES 6
#define HEADER_BYTES 110
#define FIELD_BYTES 8
#define FIELD_FILE_BYTES 6 // the n-th field behind the magic
#define FIELD_NAME_BYTES 11
#define TRAILER "TRAILER!!!"

static u64 initrd_physical, initrd_bytes;

void initrd_init(u64 physical, u64 bytes)
{
    initrd_physical = physical;
    initrd_bytes = bytes;
}

bool initrd_range(u64 *physical, u64 *bytes)
{
    *physical = initrd_physical;
    *bytes = initrd_bytes;
    return initrd_bytes != 0;
}

struct record {
    const char *name; // NUL-terminated
    const char *contents;
    u64 bytes;
    u64 next; // offset of the next record
};

static s64 digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

// Returns the n-th field of a header, or UINT64_MAX.
static u64 field(const char *header, u32 number)
{
    const char *digits = header + MAGIC_BYTES + number * FIELD_BYTES;
    u64 value = 0;

    for (u32 i = 0; i < FIELD_BYTES; i++) {
        s64 next = digit(digits[i]);
        if (next < 0)
            return UINT64_MAX;
        value = value << 4 | (u64)next;
    }
    return value;
}

// Reads the record at an offset of an archive. Returns false if it is damaged.
static bool read_record(const char *archive, u64 bytes, u64 offset, struct record *record)
{
    const char *header = archive + offset;

    if (offset > bytes || bytes - offset < HEADER_BYTES ||
        (memcmp(header, MAGIC, MAGIC_BYTES) != 0 && memcmp(header, MAGIC_CRC, MAGIC_BYTES) != 0))
        return false;
    u64 name_bytes = field(header, FIELD_NAME_BYTES);
    record->bytes = field(header, FIELD_FILE_BYTES);
    if (name_bytes == 0 || name_bytes > bytes || record->bytes > bytes)
        return false;
    u64 contents = ALIGN_UP(offset + HEADER_BYTES + name_bytes, 4UL);
    if (contents + record->bytes > bytes || header[HEADER_BYTES + name_bytes - 1] != '\0')
        return false;
    record->name = header + HEADER_BYTES;
    record->contents = archive + contents;
    record->next = ALIGN_UP(contents + record->bytes, 4UL);
    return true;
}

s64 initrd_find(const char *path, const void **contents, u64 *bytes)
{
    const char *archive = phys_to_virt(initrd_physical);
    struct record record;

    if (initrd_bytes == 0)
        return E_NOENT;
    for (u64 offset = 0;; offset = record.next) {
        if (!read_record(archive, initrd_bytes, offset, &record))
            return E_INVAL;
        if (strcmp(record.name, TRAILER) == 0)
            return E_NOENT;
        const char *name = strncmp(record.name, "./", 2) == 0 ? record.name + 2 : record.name;
        if (strcmp(name, path) == 0) {
            *contents = record.contents;
            *bytes = record.bytes;
            return 0;
        }
    }
}
