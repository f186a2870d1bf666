// SPDX-License-Identifier: MIT
// Files of the initial file system, without a server.
#include "supervisor.h"

#include <cpio/cpio.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>

static struct cpio archive;
static cap_t memory;

static void map(void)
{
    s64 cap = sys_initrd();
    s64 bytes = cap < 0 ? cap : sys_memory_bytes((cap_t)cap);
    struct sys_region region = {.kind = REGION_PRIVATE, .prot = PROT_R, .memory = (cap_t)cap};

    if (bytes <= 0)
        return;
    region.bytes = ALIGN_UP((u64)bytes, 4096UL);
    if (sys_region_create(0, &region) != 0)
        return;
    memory = (cap_t)cap;
    archive = (struct cpio){.data = (const u8 *)region.address, .bytes = (u64)bytes};
}

s64 archive_find(const char *path, struct archived *file)
{
    struct cpio_entry entry;

    if (archive.data == NULL)
        map();
    struct cpio look = archive;
    while (look.data != NULL && cpio_next(&look, &entry) > 0) {
        if (strcmp(entry.name, path) != 0)
            continue;
        *file = (struct archived){.memory = memory,
                                  .offset = entry.offset,
                                  .bytes = entry.bytes,
                                  .contents = archive.data + entry.offset};
        return 0;
    }
    return E_NOENT;
}

s64 archive_start(const struct archived *program, const char *name, struct process_spawn *how,
                  cap_t *process)
{
    char seed[24];
    const char *const argv[] = {name, seed, NULL};

    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)random_next());
    how->memory = program->memory;
    how->memory_offset = program->offset;
    how->bytes = program->bytes;
    how->argv = argv;
    return process_spawn_cap(how, process);
}
