// SPDX-License-Identifier: MIT
// Programs straight from the initial file system (a cpio archive, "newc"), for processes that may
// see it.
#include "process.h"

#include <orrery/memory.h>
#include <string.h>
#include <user/lock.h>

#define HEADER_BYTES 110
#define PAGE 4096

static struct once once;
static const u8 *archive;
static u64 archive_bytes;
static cap_t archive_cap;

static void map_archive(void)
{
    s64 cap = sys_initrd();
    s64 bytes = cap < 0 ? cap : sys_memory_bytes((cap_t)cap);
    if (bytes <= 0)
        return;
    struct sys_region region = {.bytes = ALIGN_UP((u64)bytes, PAGE),
                                .kind = REGION_PRIVATE,
                                .prot = PROT_R,
                                .memory = (cap_t)cap};
    if (sys_region_create(0, &region))
        return;
    archive_cap = (cap_t)cap;
    archive_bytes = (u64)bytes;
    archive = (const u8 *)region.address;
}

// Field n of a header: eight hexadecimal digits.
static u64 field(const u8 *header, u32 n)
{
    u64 value = 0;
    for (u32 i = 0; i < 8; i++) {
        u8 c = header[6 + 8 * n + i];
        u64 digit = c <= '9' ? c - (u64)'0' : (c | 0x20) - (u64)'a' + 10;
        value = value << 4 | (digit & 15);
    }
    return value;
}

// Is the entry at *at the file with this name? Returns 1, with the program; 0, with *at behind the
// entry; E_NOENT: no entries are left; E_INVAL.
static s64 look_at(u64 *at, const char *path, struct process_program *program)
{
    const u8 *header = archive + *at;
    if (*at + HEADER_BYTES > archive_bytes || memcmp(header, "070701", 6) != 0)
        return E_NOENT;
    u64 file_bytes = field(header, 6), name_bytes = field(header, 11);
    u64 contents = ALIGN_UP(*at + HEADER_BYTES + name_bytes, 4);
    if (name_bytes == 0 || contents > archive_bytes || file_bytes > archive_bytes - contents)
        return E_INVAL;
    if (strcmp((const char *)header + HEADER_BYTES, path) != 0) {
        *at = ALIGN_UP(contents + file_bytes, 4);
        return 0;
    }
    *program = (struct process_program){.image = archive + contents,
                                        .memory = archive_cap,
                                        .offset = contents,
                                        .bytes = file_bytes};
    return contents % PAGE == 0 ? 1 : E_INVAL;
}

// Programs are started again and again, so the entry found last is tried first.
s64 initrd_open(const char *path, struct process_program *program)
{
    static u64 found; // atomic: where that entry begins
    once_call(&once, map_archive);
    if (!archive)
        return E_NOENT;
    while (*path == '/')
        path++;
    u64 at = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (look_at(&at, path, program) == 1)
        return 0;
    u64 entry;
    s64 result;
    at = 0;
    do {
        entry = at;
        result = look_at(&at, path, program);
    } while (result == 0);
    if (result < 0)
        return result;
    __atomic_store_n(&found, entry, __ATOMIC_RELAXED);
    return 0;
}
