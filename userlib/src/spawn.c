// SPDX-License-Identifier: MIT
// Making a process of a program: decode everything first, then build the child, then start it.
#include "process.h"

#include <elf/elf.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdlib.h>
#include <string.h>
#include <user/scheduler.h>

#define PAGE 4096
#define WRITE_MAX 65536
#define BLOCK_MAX 65536

extern char **environ;

static process_open open_program = initrd_open;

void process_set_open(process_open open)
{
    open_program = open;
}

// A program on its way into a new process.
struct source {
    const u8 *image; // its file, in our memory
    u64 bytes;
    cap_t memory; // 0: only in our memory, to be copied
    u64 offset;
    cap_t owned;   // to be dropped
    u64 mapped_at; // region to be destroyed, or 0
};

struct child {
    cap_t cap;
    u64 stack, stack_bytes;
    u64 block; // where the argument block lies
};

// ---- finding the program ------------------------------------------------------------------------

static s64 map_source(struct source *source, cap_t memory, u64 offset, u64 bytes)
{
    struct sys_region region = {.bytes = ALIGN_UP(bytes, PAGE),
                                .kind = REGION_PRIVATE,
                                .prot = PROT_R,
                                .memory = memory,
                                .offset = offset};
    if (!bytes || offset % PAGE)
        return E_INVAL;
    s64 error = sys_region_create(0, &region);
    if (error)
        return error;
    *source = (struct source){.image = (const u8 *)region.address,
                              .bytes = bytes,
                              .memory = memory,
                              .offset = offset,
                              .owned = source->owned,
                              .mapped_at = region.address};
    return 0;
}

static s64 find_source(const struct process_spawn *spawn, struct source *source)
{
    *source = (struct source){0};
    if (spawn->image) {
        source->image = spawn->image;
        source->bytes = spawn->bytes;
        return 0;
    }
    if (spawn->memory)
        return map_source(source, spawn->memory, spawn->memory_offset, spawn->bytes);
    if (!spawn->path)
        return E_INVAL;
    struct process_program program = {0};
    s64 error = open_program(spawn->path, &program);
    if (error)
        return error;
    source->owned = program.owned ? program.memory : 0;
    if (!program.image)
        return map_source(source, program.memory, program.offset, program.bytes);
    source->image = program.image;
    source->bytes = program.bytes;
    source->memory = program.memory;
    source->offset = program.offset;
    return 0;
}

static void close_source(const struct source *source)
{
    if (source->mapped_at)
        sys_region_destroy(source->mapped_at);
    if (source->owned)
        sys_cap_drop(source->owned);
}

// ---- its memory ---------------------------------------------------------------------------------

static s64 write_child(cap_t child, u64 address, const void *from, u64 bytes)
{
    for (u64 done = 0; done < bytes;) {
        u64 part = bytes - done < WRITE_MAX ? bytes - done : WRITE_MAX;
        s64 error = sys_process_write(child, address + done, (const u8 *)from + done, part);
        if (error < 0)
            return error;
        done += part;
    }
    return 0;
}

static s64 anonymous(cap_t child, u64 address, u64 bytes, u32 prot)
{
    struct sys_region region = {
        .address = address, .bytes = bytes, .kind = REGION_ANONYMOUS, .prot = prot};
    return bytes ? sys_region_create(child, &region) : 0;
}

// One region for all of the segment.
static s64 map_segment(cap_t child, const struct source *source, const struct elf_segment *segment)
{
    u64 bytes = ALIGN_UP(segment->file_bytes, PAGE);
    struct sys_region region = {.address = segment->address,
                                .bytes = ALIGN_UP(segment->memory_bytes, PAGE),
                                .kind = REGION_PRIVATE,
                                .prot = segment->prot,
                                .memory = source->memory,
                                .offset = source->offset + segment->offset};
    if (!bytes)
        return anonymous(child, segment->address, region.bytes, segment->prot);
    if (bytes != region.bytes)
        region.backed = bytes;
    s64 error = sys_region_create(child, &region);
    if (error || !(segment->prot & PROT_W) || bytes == segment->file_bytes)
        return error;
    static const u8 zeroes[PAGE];
    return write_child(child, segment->address + segment->file_bytes, zeroes,
                       bytes - segment->file_bytes);
}

static s64 copy_segment(cap_t child, const struct source *source, const struct elf_segment *segment)
{
    s64 error =
        anonymous(child, segment->address, ALIGN_UP(segment->memory_bytes, PAGE), segment->prot);
    return error ? error
                 : write_child(child, segment->address, source->image + segment->offset,
                               segment->file_bytes);
}

static u32 rights_of(const struct process_spawn *spawn)
{
    return spawn->rights == PROCESS_SAME_RIGHTS ? process_rights() : spawn->rights;
}

// ---- the argument block -------------------------------------------------------------------------

struct block {
    u8 *data;
    u64 address; // where the child will see it
    u64 used, room;
};

static u64 put(struct block *block, const void *data, u64 bytes, u64 alignment)
{
    u64 at = ALIGN_UP(block->used, alignment);
    if (at > block->room || block->room - at < bytes)
        return 0;
    if (data)
        memcpy(block->data + at, data, bytes);
    block->used = at + bytes;
    return block->address + at;
}

// Puts a NULL-terminated list of texts. Returns the array's address in the child, or 0 if there is
// no room.
static u64 put_texts(struct block *block, const char *const *texts, u32 count)
{
    u64 array = put(block, NULL, (count + 1) * sizeof(u64), 8);
    if (!array)
        return 0;
    u64 *addresses = (u64 *)(block->data + (array - block->address));
    for (u32 i = 0; i < count; i++) {
        addresses[i] = put(block, texts[i], strlen(texts[i]) + 1, 1);
        if (!addresses[i])
            return 0;
    }
    addresses[count] = 0;
    return array;
}

static u32 count_texts(const char *const *texts)
{
    u32 count = 0;
    while (texts[count])
        count++;
    return count;
}

static s64 fill_block(struct block *block, const struct process_spawn *spawn, const char *name)
{
    const char *const default_argv[] = {name, NULL};
    const char *const *argv = spawn->argv ? spawn->argv : default_argv;
    const char *const *envp = spawn->envp ? spawn->envp : (const char *const *)environ;
    struct process_arguments arguments = {.magic = PROCESS_ARGUMENTS_MAGIC,
                                          .argc = count_texts(argv),
                                          .envc = count_texts(envp),
                                          .rights = rights_of(spawn),
                                          .inherit_bytes = spawn->inherit_bytes};
    put(block, NULL, sizeof arguments, 8);
    arguments.argv = put_texts(block, argv, arguments.argc);
    arguments.envp = put_texts(block, envp, arguments.envc);
    if (spawn->inherit_bytes)
        arguments.inherit = put(block, spawn->inherit, spawn->inherit_bytes, 16);
    if (!arguments.argv || !arguments.envp || (spawn->inherit_bytes && !arguments.inherit))
        return E_LIMIT;
    arguments.bytes = block->used;
    memcpy(block->data, &arguments, sizeof arguments);
    return 0;
}

// ---- building and starting ----------------------------------------------------------------------

static const char *name_of(const struct process_spawn *spawn)
{
    const char *path = spawn->argv && spawn->argv[0] ? spawn->argv[0] : spawn->path;
    if (spawn->name)
        return spawn->name;
    if (!path)
        return "process";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static s64 create_process(const struct process_spawn *spawn)
{
    struct sys_process_new new = {
        .rights = rights_of(spawn),
        .priority = spawn->priority ? spawn->priority : PROCESS_NORMAL,
        .memory_limit = spawn->memory_limit,
    };
    strncpy(new.name, name_of(spawn), sizeof new.name - 1);
    return sys_process_create(&new);
}

static u64 stack_bytes(const struct process_spawn *spawn, const struct elf_program *program)
{
    if (spawn->stack_bytes)
        return spawn->stack_bytes;
    return program->stack_bytes ? program->stack_bytes : PROCESS_STACK_DEFAULT;
}

static s64 make_stack(struct child *child, u64 bytes)
{
    struct sys_region region = {
        .bytes = ALIGN_UP(bytes, PAGE), .kind = REGION_STACK, .prot = PROT_R | PROT_W};
    if (bytes < PROCESS_STACK_MIN || bytes > PROCESS_STACK_MAX)
        return E_LIMIT;
    s64 error = sys_region_create(child->cap, &region);
    child->stack = region.address;
    child->stack_bytes = region.bytes;
    return error;
}

static void move_texts(u8 *texts, u32 count, u64 by)
{
    for (u32 i = 0; i < count; i++)
        ((u64 *)texts)[i] += by;
}

// Moves the addresses in a block that was laid out for another address.
static void move_block(const struct block *block, u64 by)
{
    struct process_arguments *arguments = (struct process_arguments *)block->data;
    move_texts(block->data + (arguments->argv - block->address), arguments->argc, by);
    move_texts(block->data + (arguments->envp - block->address), arguments->envc, by);
    arguments->argv += by;
    arguments->envp += by;
    if (arguments->inherit)
        arguments->inherit += by;
}

// The block lies at the stack's upper end. It is laid out for another place first,
// to see how long it is.
static s64 make_arguments(struct child *child, const struct process_spawn *spawn)
{
    u8 *memory = malloc(BLOCK_MAX);
    if (!memory)
        return E_NOMEM;
    struct block block = {.data = memory, .address = PAGE, .room = BLOCK_MAX};
    s64 error = fill_block(&block, spawn, name_of(spawn));
    u64 bytes = ALIGN_UP(block.used, 16);
    if (error == 0 && bytes > child->stack_bytes / 2)
        error = E_LIMIT;
    if (error == 0) {
        child->block = child->stack + child->stack_bytes - bytes;
        move_block(&block, child->block - block.address);
        struct process_arguments *arguments = (struct process_arguments *)memory;
        arguments->stack = child->stack;
        arguments->stack_bytes = child->stack_bytes;
        error = write_child(child->cap, child->block, memory, bytes);
    }
    free(memory);
    return error;
}

static s64 grant(const struct child *child, const struct process_spawn *spawn)
{
    sys_process_grant(child->cap, CAP_NAMES, CAP_NAMES); // E_NOENT: there is no name service
    for (u32 i = 0; i < spawn->grant_count; i++) {
        s64 error = sys_process_grant(child->cap, spawn->grants[i].slot, spawn->grants[i].cap);
        if (error)
            return error;
    }
    return 0;
}

static s64 build(struct child *child, const struct process_spawn *spawn,
                 const struct source *source, const struct elf_program *program)
{
    for (u32 i = 0; i < program->segment_count; i++) {
        const struct elf_segment *segment = &program->segments[i];
        s64 error = source->memory ? map_segment(child->cap, source, segment)
                                   : copy_segment(child->cap, source, segment);
        if (error)
            return error;
    }
    s64 error = make_stack(child, stack_bytes(spawn, program));
    if (error == 0)
        error = make_arguments(child, spawn);
    return error ? error : grant(child, spawn);
}

static s64 start(const struct child *child, const struct process_spawn *spawn,
                 const struct elf_program *program, u32 pid)
{
    const struct sys_process_start how = {
        .pc = program->pc,
        .toc = program->toc,
        .sp = child->block - 128,
        .argument = child->block,
        .cpu = spawn->cpu == PROCESS_HERE ? user_cpu() : spawn->cpu,
    };
    s64 error = children_add(pid);
    if (error)
        return error;
    error = sys_process_start(child->cap, &how);
    if (error)
        children_remove(pid);
    return error;
}

static s64 make_process(const struct process_spawn *spawn, const struct source *source, cap_t *cap)
{
    struct elf_program program;
    s64 error = elf_read(source->image, source->bytes, &program);
    if (error)
        return error;
    s64 created = create_process(spawn);
    if (created < 0)
        return created;
    struct child child = {.cap = (cap_t)created};
    s64 pid = sys_process_pid(child.cap);
    error = build(&child, spawn, source, &program);
    if (error == 0 && spawn->made)
        spawn->made((u32)pid, spawn->made_context);
    if (error == 0)
        error = start(&child, spawn, &program, (u32)pid);
    if (error) {
        sys_process_kill((u32)pid, 0);
        sys_cap_drop(child.cap);
        return error;
    }
    *cap = child.cap;
    return pid;
}

s64 process_spawn_cap(const struct process_spawn *spawn, cap_t *process)
{
    struct source source;
    if (spawn->grant_count > PROCESS_GRANTS_MAX)
        return E_INVAL;
    s64 result = find_source(spawn, &source);
    if (result == 0)
        result = make_process(spawn, &source, process);
    close_source(&source);
    return result;
}

s64 process_spawn(const struct process_spawn *spawn)
{
    cap_t process;
    s64 pid = process_spawn_cap(spawn, &process);
    if (pid >= 0)
        sys_cap_drop(process);
    return pid;
}
