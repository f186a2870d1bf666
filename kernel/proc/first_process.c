// SPDX-License-Identifier: MIT
// The first process: a program of the initial file system, loaded by the kernel itself because
// there is no one else yet.
#include <elf/elf.h>
#include <kernel/address_space.h>
#include <kernel/initrd.h>
#include <kernel/memory.h>
#include <kernel/startup.h>
#include <orrery/errors.h>
#include <string.h>

#include "annex.h"
#include "process.h"
#include "syscalls/syscalls.h"

#define STACK_BYTES 0x100000UL
#define STACK_TOP USER_MAP // ends below the regions that others choose

void processes_init(void)
{
    syscalls_init();
    memory_objects_init();
    annex_init();
}

static s64 load_segment(struct process *process, const void *file,
                        const struct elf_segment *segment)
{
    struct sys_region region = {
        .address = segment->address,
        .bytes = ALIGN_UP(segment->memory_bytes, PAGE_SIZE),
        .kind = REGION_ANONYMOUS,
        .prot = segment->prot,
    };
    s64 error = space_region_create(process->space, &region, NULL, false);

    if (error == 0)
        error = space_write(process->space, segment->address, (const char *)file + segment->offset,
                            segment->file_bytes);
    return error;
}

static s64 load(struct process *process, const void *file, u64 bytes,
                struct sys_process_start *start)
{
    struct elf_program program;
    struct sys_region stack = {
        .address = STACK_TOP - STACK_BYTES,
        .bytes = STACK_BYTES,
        .kind = REGION_STACK,
        .prot = PROT_R | PROT_W,
    };

    s64 error = elf_read(file, bytes, &program);
    for (u32 i = 0; error == 0 && i < program.segment_count; i++)
        error = load_segment(process, file, &program.segments[i]);
    if (error == 0)
        error = space_region_create(process->space, &stack, NULL, false);
    if (error == 0)
        *start = (struct sys_process_start){
            .pc = program.pc, .toc = program.toc, .sp = stack.address + stack.bytes - 128};
    return error;
}

s64 first_process_start(const char *path)
{
    struct sys_process_new new = {.rights = RIGHT_ALL, .priority = PROCESS_NORMAL};
    struct sys_process_start start;
    const void *file;
    u64 bytes;
    s64 error = initrd_find(path, &file, &bytes);

    if (error != 0)
        return error;
    const char *slash = strrchr(path, '/');
    strncpy(new.name, slash != NULL ? slash + 1 : path, sizeof(new.name) - 1);
    struct process *process = process_create(&new, NULL, &error);
    if (process == NULL)
        return error;
    error = load(process, file, bytes, &start);
    if (error == 0)
        error = process_start(process, &start);
    process_put(process);
    return error;
}
