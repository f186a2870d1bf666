// SPDX-License-Identifier: MIT
// Files that a child inherits: lent by who spawns it, borrowed at its start.
#include "file.h"
#include "mounts.h"
#include "pipe.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <posix/spawn.h>
#include <stdlib.h>
#include <string.h>
#include <user/scheduler.h>

#define KINDS_MAX 8
#define INHERIT_MAGIC 0x4f52524649443031 // "ORRFID01"

// What process_arguments.inherit holds.
struct inheritance {
    u64 magic;
    u64 count;
    char directory[PATH_BYTES];
    struct fd_inherit files[];
};

static const struct fd_ops *kinds[KINDS_MAX] = {&file_ops, &pipe_ops, &console_ops};
static u32 kind_count = 3;

s64 fd_register_kind(const struct fd_ops *ops)
{
    if (kind_count == KINDS_MAX)
        return E_LIMIT;
    kinds[kind_count++] = ops;
    return 0;
}

// ---- in the child ------------------------------------------------------------------------------

static void borrow(const struct fd_inherit *from)
{
    const struct fd_ops *ops = NULL;
    for (u32 i = 0; i < kind_count && ops == NULL; i++) {
        if (strncmp(kinds[i]->kind, from->kind, FD_KIND_MAX) == 0)
            ops = kinds[i];
    }
    struct fd_file *file = ops == NULL ? NULL : fd_file_new(ops, from->flags);
    if (file == NULL)
        return;
    if (ops->borrow(file, from) < 0)
        fd_file_free(file);
    else
        fd_install_at(file, from->fd);
}

static bool borrow_all(const struct process_arguments *arguments)
{
    const struct inheritance *from = (const void *)(uintptr_t)arguments->inherit;
    if (from == NULL || arguments->inherit_bytes < sizeof(*from) || from->magic != INHERIT_MAGIC ||
        from->count != (arguments->inherit_bytes - sizeof(*from)) / sizeof(from->files[0]))
        return false;
    for (u64 i = 0; i < from->count; i++)
        borrow(&from->files[i]);
    if (memchr(from->directory, '\0', PATH_BYTES) != NULL && from->directory[0] == '/')
        directory_set(from->directory);
    return true;
}

static s64 open_console(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        struct fd_file *file = fd_file_new(&console_ops, O_RDWR);
        if (file == NULL)
            return E_NOMEM;
        fd_install_at(file, fd);
    }
    return 0;
}

// After all kinds have been registered.
static s64 start_files(void)
{
    const struct process_arguments *arguments = process_arguments();
    if (arguments != NULL && borrow_all(arguments))
        return 0;
    return open_console();
}
USER_INIT(6, start_files);

void posix_finish(void)
{
    fd_remove_all();
}

// ---- in the parent -----------------------------------------------------------------------------

static s64 lend(struct fd_file *file, int child_fd, struct fd_inherit *to)
{
    if (file->ops->lend == NULL)
        return -EINVAL;
    *to = (struct fd_inherit){.fd = child_fd, .flags = file->flags};
    strncpy(to->kind, file->ops->kind, FD_KIND_MAX - 1);
    return file->ops->lend(file, to);
}

// Files that are lent, on their way to a child.
struct lending {
    struct inheritance *with;
    struct fd_file *files[FD_MAX]; // held
    u32 count;
};

// Ends a lending: the child has what was lent, or with pid 0 there is none.
static void end_lending(u32 pid, void *context)
{
    struct lending *lending = context;
    for (u32 i = 0; i < lending->count; i++) {
        struct fd_file *file = lending->files[i];
        if (file->ops->lent != NULL)
            file->ops->lent(file, &lending->with->files[i], pid);
        fd_put(file);
    }
    lending->count = 0;
}

// Lends all descriptors, or none.
static s64 lend_all(const struct posix_spawn_fd *fds, u32 count, struct lending *lending)
{
    for (u32 i = 0; i < count; i++) {
        struct fd_file *file = fd_hold(fds[i].parent);
        if (file != NULL && fds[i].child >= 0 && fds[i].child < FD_MAX &&
            lend(file, fds[i].child, &lending->with->files[i]) >= 0) {
            lending->files[lending->count++] = file;
            continue;
        }
        if (file != NULL)
            fd_put(file);
        end_lending(0, lending);
        return E_INVAL;
    }
    return 0;
}

// The child gets its handles before it can use them.
static s64 spawn_with(const struct process_spawn *spawn, struct lending *lending, u64 bytes,
                      cap_t *process)
{
    struct process_spawn child = *spawn;
    child.inherit = lending->with;
    child.inherit_bytes = bytes;
    child.made = end_lending;
    child.made_context = lending;
    s64 result = process_spawn_cap(&child, process);
    end_lending(0, lending);
    return result;
}

s64 posix_spawn_program(const struct process_spawn *spawn, const struct posix_spawn_fd *fds,
                        u32 count, cap_t *process)
{
    static const struct posix_spawn_fd standard[] = {{0, 0}, {1, 1}, {2, 2}};
    if (fds == NULL) {
        fds = standard;
        count = ARRAY_SIZE(standard);
    }
    if (count > FD_MAX)
        return E_INVAL;
    u64 bytes = sizeof(struct inheritance) + count * sizeof(struct fd_inherit);
    struct lending lending = {.with = calloc(1, bytes)};
    if (lending.with == NULL)
        return E_NOMEM;
    lending.with->magic = INHERIT_MAGIC;
    lending.with->count = count;
    directory_get(lending.with->directory);
    s64 result = lend_all(fds, count, &lending);
    if (result == 0)
        result = spawn_with(spawn, &lending, bytes, process);
    free(lending.with);
    return result;
}
