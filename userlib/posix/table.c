// SPDX-License-Identifier: MIT
// The table of file descriptors.
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <user/lock.h>
#include <user/scheduler.h>

_Static_assert(FD_MAX == 256, "_SC_OPEN_MAX in userlib/fallback/limits.c");

static struct {
    struct mutex lock;
    struct fd_file *files[FD_MAX];
    int end;       // no file has ever been here or behind
    bool any_flag; // one has had FD_CLOEXEC
    u8 flags[FD_MAX];
} table;

static struct fd_file *spare; // the last one that was given up, or NULL

struct fd_file *fd_file_new(const struct fd_ops *ops, u32 flags)
{
    struct fd_file *file = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);
    if (file == NULL)
        file = user_alloc(sizeof(*file)); // a program that opens nothing needs no heap
    if (file == NULL)
        return NULL;
    // Field by field, and all of them: an initialiser would be a call of memset.
    file->ops = ops;
    file->references = 1;
    file->flags = flags;
    file->handle = 0;
    file->words[0] = file->words[1] = 0;
    file->private = NULL;
    return file;
}

void fd_file_free(struct fd_file *file)
{
    user_free(file, sizeof(*file));
}

void fd_put(struct fd_file *file)
{
    if (__atomic_sub_fetch(&file->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (file->ops->close != NULL)
        file->ops->close(file);
    struct fd_file *none = NULL;
    if (!__atomic_compare_exchange_n(&spare, &none, file, false, __ATOMIC_RELEASE,
                                     __ATOMIC_RELAXED))
        fd_file_free(file);
}

struct fd_file *fd_hold(int fd)
{
    if (fd < 0 || fd >= FD_MAX)
        return NULL;
    mutex_lock(&table.lock);
    struct fd_file *file = table.files[fd];
    if (file != NULL)
        __atomic_add_fetch(&file->references, 1, __ATOMIC_RELAXED);
    mutex_unlock(&table.lock);
    return file;
}

// Table locked.
static void put_at(int fd, struct fd_file *file)
{
    table.files[fd] = file;
    if (fd >= table.end)
        table.end = fd + 1;
}

int fd_install(struct fd_file *file, int at_least)
{
    int fd = at_least < 0 ? FD_MAX : at_least;
    mutex_lock(&table.lock);
    while (fd < FD_MAX && table.files[fd] != NULL)
        fd++;
    if (fd < FD_MAX)
        put_at(fd, file);
    mutex_unlock(&table.lock);
    if (fd < FD_MAX)
        return fd;
    fd_put(file);
    return -EMFILE;
}

static struct fd_file *replace(int fd, struct fd_file *file)
{
    mutex_lock(&table.lock);
    struct fd_file *old = table.files[fd];
    put_at(fd, file);
    if (table.any_flag)
        table.flags[fd] = 0;
    mutex_unlock(&table.lock);
    return old;
}

// Gives up what was at a descriptor.
static void leave(struct fd_file *file)
{
    if (file->ops->leave != NULL)
        file->ops->leave(file);
    fd_put(file);
}

int fd_install_at(struct fd_file *file, int fd)
{
    if (fd < 0 || fd >= FD_MAX) {
        fd_put(file);
        return -EBADF;
    }
    struct fd_file *old = replace(fd, file);
    if (old != NULL)
        leave(old);
    return fd;
}

int fd_remove(int fd)
{
    if (fd < 0 || fd >= FD_MAX)
        return -EBADF;
    struct fd_file *old = replace(fd, NULL);
    if (old == NULL)
        return -EBADF;
    leave(old);
    return 0;
}

int fd_get_flag(int fd)
{
    if (fd < 0 || fd >= FD_MAX)
        return -EBADF;
    mutex_lock(&table.lock);
    int flag = table.files[fd] != NULL ? table.flags[fd] : -EBADF;
    mutex_unlock(&table.lock);
    return flag;
}

int fd_set_flag(int fd, int flag)
{
    if (fd < 0 || fd >= FD_MAX)
        return -EBADF;
    mutex_lock(&table.lock);
    bool there = table.files[fd] != NULL;
    if (there) {
        table.flags[fd] = (u8)(flag & FD_CLOEXEC);
        table.any_flag |= (flag & FD_CLOEXEC) != 0;
    }
    mutex_unlock(&table.lock);
    return there ? 0 : -EBADF;
}

void fd_remove_all(void)
{
    for (int fd = 0; fd < table.end; fd++)
        fd_remove(fd);
}
