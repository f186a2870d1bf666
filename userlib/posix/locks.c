// SPDX-License-Identifier: MIT
// Record locks of files: ranges that a process has, at the file's server.
#include "file.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

struct asked {
    u32 kind, flags; // FS_LOCK_*
    u64 start, last;
    struct fs_record found;
};

static bool used; // this process has asked for a lock

static s64 call_lock(cap_t server, u64 handle, void *argument)
{
    const struct asked *asked = argument;
    return fs_lock(server, handle, asked->kind, asked->start, asked->last, asked->flags);
}

static s64 call_test(cap_t server, u64 handle, void *argument)
{
    struct asked *asked = argument;
    return fs_lock_test(server, handle, asked->kind, asked->start, asked->last, &asked->found);
}

static int lock_errno(s64 error)
{
    switch (error) {
    case E_BUSY:
        return EDEADLK;
    case E_LIMIT:
        return ENOLCK;
    case E_NOTSUP:
        return EINVAL;
    case E_PERM:
        return EBADF;
    default:
        return posix_errno(error);
    }
}

// Returns the offset that a range counts from, or -errno.
static s64 base_of(int fd, int whence)
{
    struct stat info;
    switch (whence) {
    case SEEK_SET:
        return 0;
    case SEEK_CUR: {
        off_t position = lseek(fd, 0, SEEK_CUR);
        return position < 0 ? -EINVAL : position;
    }
    case SEEK_END:
        return fstat(fd, &info) == 0 ? info.st_size : -EINVAL;
    default:
        return -EINVAL;
    }
}

// Returns 0 or -errno. A range without end ends at INT64_MAX.
static s64 range_of(int fd, const struct flock *lock, struct asked *asked)
{
    s64 start = base_of(fd, lock->l_whence), last = INT64_MAX;
    if (start < 0)
        return start;
    if (__builtin_add_overflow(start, lock->l_start, &start))
        return -EOVERFLOW;
    if (start < 0)
        return -EINVAL;
    if (lock->l_len > 0 && __builtin_add_overflow(start, lock->l_len - 1, &last))
        return -EOVERFLOW;
    if (lock->l_len < 0) {
        last = start - 1;
        start += lock->l_len;
    }
    if (start < 0 || last < start)
        return -EINVAL;
    asked->start = (u64)start;
    asked->last = (u64)last;
    return 0;
}

static s64 kind_of(int type, u32 *kind)
{
    *kind = type == F_RDLCK ? FS_LOCK_READ : type == F_WRLCK ? FS_LOCK_WRITE : FS_LOCK_NONE;
    return *kind != FS_LOCK_NONE || type == F_UNLCK ? 0 : -EINVAL;
}

static void tell(const struct fs_record *found, struct flock *lock)
{
    lock->l_type = F_UNLCK;
    if (found->kind == FS_LOCK_NONE)
        return;
    lock->l_type = found->kind == FS_LOCK_READ ? F_RDLCK : F_WRLCK;
    lock->l_whence = SEEK_SET;
    lock->l_start = (off_t)found->start;
    lock->l_len = found->last >= INT64_MAX ? 0 : (off_t)(found->last - found->start + 1);
    lock->l_pid = (short)found->pid;
}

static s64 do_command(const struct fd_file *file, int command, struct asked *asked)
{
    if (command == F_GETLK)
        return file_do(file, call_test, asked);
    asked->flags = command == F_SETLKW ? FS_LOCK_WAIT : 0;
    __atomic_store_n(&used, true, __ATOMIC_RELAXED);
    return file_do(file, call_lock, asked);
}

static s64 lock_file(int fd, const struct fd_file *file, int command, struct flock *lock)
{
    struct asked asked = {0};
    s64 error = file->ops == &file_ops ? kind_of(lock->l_type, &asked.kind) : -EINVAL;
    if (error == 0 && command == F_GETLK && asked.kind == FS_LOCK_NONE)
        error = -EINVAL;
    if (error == 0)
        error = range_of(fd, lock, &asked);
    if (error != 0)
        return error;
    s64 status = do_command(file, command, &asked);
    if (status != 0)
        return -lock_errno(status);
    if (command == F_GETLK)
        tell(&asked.found, lock);
    return 0;
}

int fd_lock(int fd, int command, struct flock *lock)
{
    struct fd_file *file = fd_hold(fd);
    if (file == NULL)
        return (int)posix_result(-EBADF);
    s64 result = lock_file(fd, file, command, lock);
    fd_put(file);
    return (int)posix_result(result);
}

// With any descriptor of a file a process's locks there go. If it is the last one of this opening,
// the server sees it.
void file_leave(struct fd_file *file)
{
    struct asked all = {.kind = FS_LOCK_NONE, .last = UINT64_MAX};
    if (__atomic_load_n(&used, __ATOMIC_RELAXED) &&
        __atomic_load_n(&file->references, __ATOMIC_RELAXED) > 1)
        file_do(file, call_lock, &all);
}

int lockf(int fd, int command, off_t bytes)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = bytes};
    switch (command) {
    case F_ULOCK:
        lock.l_type = F_UNLCK;
        return fd_lock(fd, F_SETLK, &lock);
    case F_LOCK:
        return fd_lock(fd, F_SETLKW, &lock);
    case F_TLOCK:
        return fd_lock(fd, F_SETLK, &lock);
    case F_TEST:
        if (fd_lock(fd, F_GETLK, &lock) != 0)
            return -1;
        return lock.l_type == F_UNLCK ? 0 : (int)posix_result(-EACCES);
    default:
        return (int)posix_result(-EINVAL);
    }
}
