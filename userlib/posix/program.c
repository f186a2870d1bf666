// SPDX-License-Identifier: MIT
// Programs looked up as files: process_spawn's path means what open's does.
#include "file.h"
#include "mounts.h"

#include <orrery/memory.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>

#define PAGE 4096UL

struct mapping {
    u64 offset, bytes;
    cap_t memory;
};

static s64 read_all(cap_t server, u64 handle, u8 *to, u64 bytes)
{
    u64 done = 0, part = 1;
    s64 status = 0;
    while (status == 0 && part > 0 && done < bytes) {
        u64 room = bytes - done < FS_DATA_MAX ? bytes - done : FS_DATA_MAX;
        status = fs_read(server, handle, done, 0, to + done, room, &part);
        done += status == 0 ? part : 0;
    }
    return status;
}

// Fills memory with the file, and seals it: nobody ever writes to it again.
static s64 fill(cap_t server, u64 handle, const struct mapping *mapping)
{
    struct sys_region region = {.bytes = ALIGN_UP(mapping->bytes, PAGE),
                                .kind = REGION_SHARED,
                                .prot = PROT_R | PROT_W,
                                .memory = mapping->memory};
    s64 status = sys_region_create(0, &region);
    if (status != 0)
        return status;
    status = sys_region_commit(region.address, region.bytes, region.prot);
    if (status == 0)
        status = read_all(server, handle, (u8 *)region.address, mapping->bytes);
    sys_region_destroy(region.address);
    return status == 0 ? sys_memory_seal(mapping->memory) : status;
}

// What runs from a file that can be written is a copy: whoever writes to the file, by whatever way
// and with whatever rights, does not write to a running program.
static s64 copy_file(cap_t server, u64 handle, const char *path, struct mapping *mapping)
{
    const char *slash = strrchr(path, '/');
    char name[32] = "";
    strncpy(name, slash != NULL ? slash + 1 : path, sizeof(name) - 1);
    s64 memory = sys_memory_new(name, ALIGN_UP(mapping->bytes, PAGE)); // E_INVAL: it is empty
    if (memory < 0)
        return memory;
    mapping->memory = (cap_t)memory;
    s64 status = fill(server, handle, mapping);
    if (status != 0)
        sys_cap_drop(mapping->memory);
    return status;
}

static s64 call_map(cap_t server, const char *path, void *argument)
{
    struct mapping *mapping = argument;
    struct fs_stat info;
    u64 handle;
    s64 status = fs_open(server, path, FS_READ, &handle, &info);
    if (status != 0)
        return status;
    *mapping = (struct mapping){.bytes = info.bytes};
    status = info.writable && info.kind == FS_KIND_FILE
                 ? copy_file(server, handle, path, mapping)
                 : fs_map(server, handle, &mapping->offset, &mapping->bytes, &mapping->memory);
    fs_close(server, handle);
    return status;
}

static s64 open_program(const char *path, struct process_program *program)
{
    struct mapping mapping;
    s64 status = path_do(path, call_map, &mapping, NULL);
    if (status == PATH_TOO_LONG)
        status = E_INVAL;
    if (status != 0)
        return status;
    *program = (struct process_program){
        .memory = mapping.memory, .owned = true, .offset = mapping.offset, .bytes = mapping.bytes};
    return 0;
}

// A process that can read the initial file system itself and has no name service (init) does that.
static s64 start_programs(void)
{
    s64 names = sys_cap_copy(CAP_NAMES);
    if (names < 0)
        return 0;
    sys_cap_drop((cap_t)names);
    process_set_open(open_program);
    return 0;
}
USER_INIT(6, start_programs);
