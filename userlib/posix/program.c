// SPDX-License-Identifier: MIT
// Programs looked up as files: process_spawn's path means what open's does.
#include "file.h"
#include "mounts.h"

#include <user/process.h>
#include <user/scheduler.h>

struct mapping {
    u64 offset, bytes;
    cap_t memory;
};

static s64 call_map(cap_t server, const char *path, void *argument)
{
    struct mapping *mapping = argument;
    struct fs_stat info;
    u64 handle;
    s64 status = fs_open(server, path, FS_READ, &handle, &info);
    if (status != 0)
        return status;
    status = fs_map(server, handle, &mapping->offset, &mapping->bytes, &mapping->memory);
    fs_close(server, handle);
    return status;
}

static s64 open_program(const char *path, struct process_program *program)
{
    struct mapping mapping;
    s64 status = path_do(path, call_map, &mapping, NULL);
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
