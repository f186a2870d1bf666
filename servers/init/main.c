// SPDX-License-Identifier: MIT
// init, the first process (docs/servers.md): starts the servers of the manifest, keeps them
// running, and serves their names. It trusts nothing that it reads or is told, and it never ends.
#include "log.h"
#include "manifest.h"
#include "names.h"
#include "supervisor.h"

#include <cpio/cpio.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <string.h>

#define MANIFEST_FILE "etc/manifest"
#define MANIFEST_MAX 8192
#define PROGRAM_MAX 512

static struct manifest manifest;

static void complain(u32 line, const char *what)
{
    log_line(MANIFEST_FILE ":%u: %s", line, what);
}

// Maps the initial file system. Returns an empty archive if there is none.
static struct cpio map_archive(void)
{
    s64 memory = sys_initrd();
    s64 bytes = memory < 0 ? memory : sys_memory_bytes((cap_t)memory);
    struct sys_region region = {.kind = REGION_PRIVATE, .prot = PROT_R, .memory = (cap_t)memory};
    if (bytes <= 0)
        return (struct cpio){0};
    region.bytes = ALIGN_UP((u64)bytes, 4096UL);
    if (sys_region_create(0, &region) != 0)
        return (struct cpio){0};
    return (struct cpio){.data = (const u8 *)region.address, .bytes = (u64)bytes};
}

static void read_manifest(void)
{
    static char text[MANIFEST_MAX + 1];
    struct cpio archive = map_archive();
    struct cpio_entry entry;
    s64 more = E_NOENT;
    while (archive.data != NULL && (more = cpio_next(&archive, &entry)) > 0) {
        if (strcmp(entry.name, MANIFEST_FILE) == 0)
            break;
    }
    if (more <= 0) {
        log_line("no %s in the initial file system", MANIFEST_FILE);
        return;
    }
    if (entry.bytes > MANIFEST_MAX)
        log_line(MANIFEST_FILE " is longer than %u bytes; the rest is ignored", MANIFEST_MAX);
    u64 bytes = entry.bytes < MANIFEST_MAX ? entry.bytes : MANIFEST_MAX;
    memcpy(text, archive.data + entry.offset, bytes);
    text[strnlen(text, bytes)] = '\0';
    manifest_parse(text, &manifest, complain);
}

int main(void)
{
    static char program[PROGRAM_MAX];
    char ignored[2];
    read_manifest();
    s64 status = names_create(&manifest);
    if (status != 0)
        log_line("name service: %s", orrery_strerror(status));
    if (sys_option("run", program, sizeof(program)) < 0)
        program[0] = '\0';
    supervise(&manifest, program, sys_option("oneshot", ignored, sizeof(ignored)) >= 0);
}
