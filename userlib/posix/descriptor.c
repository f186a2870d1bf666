// SPDX-License-Identifier: MIT
// Calls on descriptors: read, write, lseek, fstat, dup, fcntl, …
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int fail(int number)
{
    errno = number;
    return -1;
}

static bool may_read(const struct fd_file *file)
{
    return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool may_write(const struct fd_file *file)
{
    return (file->flags & O_ACCMODE) != O_RDONLY;
}

static ssize_t read_at(int fd, void *to, size_t bytes, s64 offset)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    s64 result = -EINVAL;
    if (!may_read(file))
        result = -EBADF;
    else if (file->ops->read != NULL)
        result = file->ops->read(file, to, bytes, offset);
    fd_put(file);
    return posix_result(result);
}

static ssize_t write_at(int fd, const void *from, size_t bytes, s64 offset)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    s64 result = -EINVAL;
    if (!may_write(file))
        result = -EBADF;
    else if (file->ops->write != NULL)
        result = file->ops->write(file, from, bytes, offset);
    fd_put(file);
    return posix_result(result);
}

ssize_t read(int fd, void *to, size_t bytes)
{
    return read_at(fd, to, bytes, FD_AT_POSITION);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    return write_at(fd, from, bytes, FD_AT_POSITION);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t offset)
{
    return offset < 0 ? fail(EINVAL) : read_at(fd, to, bytes, offset);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    return offset < 0 ? fail(EINVAL) : write_at(fd, from, bytes, offset);
}

off_t lseek(int fd, off_t offset, int whence)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    s64 result = file->ops->seek == NULL ? -ESPIPE : file->ops->seek(file, offset, whence);
    fd_put(file);
    return posix_result(result);
}

int ftruncate(int fd, off_t bytes)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    s64 result = -EINVAL;
    if (bytes >= 0 && may_write(file) && file->ops->truncate != NULL)
        result = file->ops->truncate(file, (u64)bytes);
    fd_put(file);
    return (int)posix_result(result);
}

int fstat(int fd, struct stat *info)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    s64 result = file->ops->stat == NULL ? -EINVAL : file->ops->stat(file, info);
    fd_put(file);
    return (int)posix_result(result);
}

int isatty(int fd)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF), 0;
    bool terminal = file->ops->terminal;
    fd_put(file);
    return terminal ? 1 : (fail(ENOTTY), 0);
}

int fsync(int fd)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    s64 result = file->ops->sync == NULL ? 0 : file->ops->sync(file);
    fd_put(file);
    return (int)posix_result(result);
}

int close(int fd)
{
    return (int)posix_result(fd_remove(fd));
}

static int duplicate(int fd, int at_least, int flags)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    return (int)posix_result(fd_install_new(file, at_least, flags));
}

int dup(int fd)
{
    return duplicate(fd, 0, 0);
}

int dup2(int fd, int to)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    if (fd == to) {
        fd_put(file);
        return to;
    }
    return (int)posix_result(fd_install_at(file, to));
}

int dup3(int fd, int to, int flags)
{
    if (fd == to || (flags & ~O_CLOEXEC) != 0)
        return fail(EINVAL);
    int result = dup2(fd, to);
    if (result >= 0 && flags != 0)
        fd_set_flag(to, FD_CLOEXEC);
    return result;
}

static int set_flags(int fd, int flags)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    u32 changed = O_NONBLOCK;
    file->flags = (file->flags & ~changed) | ((u32)flags & changed);
    fd_put(file);
    return 0;
}

static int get_flags(int fd)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return fail(EBADF);
    int flags = (int)file->flags & (O_ACCMODE | O_APPEND | O_NONBLOCK);
    fd_put(file);
    return flags;
}

int fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    bool locks = command == F_GETLK || command == F_SETLK || command == F_SETLKW;
    struct flock *lock = locks ? va_arg(arguments, struct flock *) : NULL;
    int value = locks ? 0 : va_arg(arguments, int);
    va_end(arguments);
    if (locks)
        return fd_lock(fd, command, lock);
    switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
        if (value < 0 || value >= FD_MAX)
            return fail(EINVAL);
        return duplicate(fd, value, command == F_DUPFD_CLOEXEC ? O_CLOEXEC : 0);
    case F_GETFL:
        return get_flags(fd);
    case F_SETFL:
        return set_flags(fd, value);
    case F_GETFD:
        return (int)posix_result(fd_get_flag(fd));
    case F_SETFD: // descriptors are inherited by those whom one names when spawning
        return (int)posix_result(fd_set_flag(fd, value));
    default:
        return fail(EINVAL);
    }
}

static int set_waiting(int fd, bool waits)
{
    int flags = get_flags(fd);
    if (flags < 0)
        return -1;
    return set_flags(fd, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

int ioctl(int fd, unsigned long request, ...)
{
    if (request != FIONBIO)
        return get_flags(fd) < 0 ? -1 : fail(ENOTTY);
    va_list arguments;
    va_start(arguments, request);
    const int *value = va_arg(arguments, const int *);
    va_end(arguments);
    return set_waiting(fd, *value == 0);
}
