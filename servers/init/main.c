// SPDX-License-Identifier: MIT
// init, the first process (docs/servers.md): starts the servers of the manifest, keeps them
// running, and serves their names. It trusts nothing that it reads or is told, and it never ends.
#include "log.h"
#include "manifest.h"
#include "names.h"
#include "supervisor.h"

#include <cpio/cpio.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/thread.h>

#define MANIFEST_FILE "etc/manifest"
#define MANIFEST_MAX 8192
#define PROGRAM_MAX 512
#define RETRY_US 100000

static struct manifest manifest;

static void complain(u32 line, const char *what)
{
    log_line(MANIFEST_FILE ":%u: %s", line, what);
}

// Maps the initial file system. Returns 0 or an error; E_NOENT: there is none.
static s64 map_archive(struct cpio *archive)
{
    s64 memory = sys_initrd();
    s64 bytes = memory < 0 ? memory : sys_memory_bytes((cap_t)memory);
    struct sys_region region = {.kind = REGION_PRIVATE, .prot = PROT_R, .memory = (cap_t)memory};
    if (bytes <= 0)
        return bytes < 0 ? bytes : E_NOENT;
    region.bytes = ALIGN_UP((u64)bytes, 4096UL);
    s64 error = sys_region_create(0, &region);
    if (error != 0)
        sys_cap_drop((cap_t)memory);
    *archive = (struct cpio){.data = (const u8 *)region.address, .bytes = (u64)bytes};
    return error;
}

// Without the manifest there is no server: memory may be short for a moment only.
static s64 find_manifest(struct cpio *archive, struct cpio_entry *entry)
{
    s64 error, more = E_NOENT;
    for (bool told = false; (error = map_archive(archive)) == E_NOMEM; told = true) {
        if (!told)
            log_line("%s: %s; trying again", MANIFEST_FILE, orrery_strerror(error));
        thread_sleep_us(RETRY_US);
    }
    while (error == 0 && (more = cpio_next(archive, entry)) > 0)
        if (strcmp(entry->name, MANIFEST_FILE) == 0)
            return 0;
    return error != 0 ? error : more < 0 ? more : E_NOENT;
}

static void read_manifest(void)
{
    static char text[MANIFEST_MAX + 1];
    struct cpio archive;
    struct cpio_entry entry;
    s64 error = find_manifest(&archive, &entry);
    if (error != 0) {
        log_line("no %s in the initial file system: %s", MANIFEST_FILE, orrery_strerror(error));
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
