// SPDX-License-Identifier: MIT
// Files, directories and pipes of servers, as a kind of open file.
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/unistd.h>
#include <user/scheduler.h>
#include <user/time.h>

// file->private: the service; handle: the server's; words[0]: FS_KIND_*.

bool file_handle(const struct fd_file *file, struct service **service, u64 *handle)
{
    if (file->ops != &file_ops)
        return false;
    *service = file->private;
    *handle = file->handle;
    return true;
}

s64 file_do(const struct fd_file *file, handle_call call, void *argument)
{
    cap_t server = service_known(file->private);
    s64 status = 0;
    if (server == 0)
        status = service_endpoint(file->private, time_after_us(SERVICE_PATIENCE_US), &server);
    if (status != 0)
        return status;
    status = call(server, file->handle, argument);
    if (status == E_PEER)
        service_lost(file->private, server);
    return status;
}

// ---- reading and writing ------------------------------------------------------------------------

struct transfer {
    void *to;
    const void *from;
    u64 bytes;  // wanted, then done
    u64 offset; // FS_CURRENT: the file's position
    u32 flags;
};

static s64 call_read(cap_t server, u64 handle, void *argument)
{
    struct transfer *transfer = argument;
    u64 done = 0;
    s64 status = fs_read(server, handle, transfer->offset, transfer->flags, transfer->to,
                         transfer->bytes, &done);
    transfer->bytes = status == 0 ? done : 0;
    return status;
}

static s64 call_write(cap_t server, u64 handle, void *argument)
{
    struct transfer *transfer = argument;
    u64 done = 0;
    s64 status = fs_write(server, handle, transfer->offset, transfer->flags, transfer->from,
                          transfer->bytes, &done);
    transfer->bytes = status == 0 ? done : 0;
    return status;
}

static bool is_pipe(const struct fd_file *file)
{
    return file->words[0] == FS_KIND_PIPE;
}

static u32 transfer_flags(const struct fd_file *file)
{
    return (file->flags & O_NONBLOCK) != 0 ? FS_NO_WAIT : 0;
}

static u64 offset_after(s64 offset, u64 done)
{
    return offset == FD_AT_POSITION ? FS_CURRENT : (u64)offset + done;
}

// A pipe gives what there is; a file all that was asked for, as far as it goes.
static s64 file_read(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = bytes - done < FS_DATA_MAX ? bytes - done : FS_DATA_MAX;
        struct transfer transfer = {.to = (char *)to + done,
                                    .bytes = part,
                                    .offset = offset_after(offset, done),
                                    .flags = transfer_flags(file)};
        s64 status = file_do(file, call_read, &transfer);
        if (status != 0)
            return done > 0 ? (s64)done : -posix_errno(status);
        done += transfer.bytes;
        if (transfer.bytes < part || is_pipe(file))
            break;
    }
    return (s64)done;
}

static s64 write_error(const struct fd_file *file, s64 status)
{
    return is_pipe(file) && status == E_PEER ? -EPIPE : -posix_errno(status);
}

static s64 file_write(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = bytes - done < FS_DATA_MAX ? bytes - done : FS_DATA_MAX;
        struct transfer transfer = {.from = (const char *)from + done,
                                    .bytes = part,
                                    .offset = offset_after(offset, done),
                                    .flags = transfer_flags(file)};
        s64 status = file_do(file, call_write, &transfer);
        if (status != 0)
            return done > 0 ? (s64)done : write_error(file, status);
        done += transfer.bytes;
        if (transfer.bytes == 0)
            break;
    }
    return (s64)done;
}

// ---- the rest ----------------------------------------------------------------------------------

struct seek {
    s64 offset;
    u32 whence;
    u64 position;
};

static s64 call_seek(cap_t server, u64 handle, void *argument)
{
    struct seek *seek = argument;
    return fs_seek(server, handle, seek->offset, seek->whence, &seek->position);
}

static s64 file_seek(struct fd_file *file, s64 offset, int whence)
{
    struct seek seek = {.offset = offset};
    switch (whence) {
    case SEEK_SET:
        seek.whence = FS_SEEK_START;
        break;
    case SEEK_CUR:
        seek.whence = FS_SEEK_CURRENT;
        break;
    case SEEK_END:
        seek.whence = FS_SEEK_END;
        break;
    default:
        return -EINVAL;
    }
    s64 status = file_do(file, call_seek, &seek);
    if (status == E_NOTSUP)
        return -ESPIPE;
    return status != 0 ? -posix_errno(status) : (s64)seek.position;
}

static s64 call_truncate(cap_t server, u64 handle, void *argument)
{
    return fs_truncate(server, handle, *(u64 *)argument);
}

static s64 file_truncate(struct fd_file *file, u64 bytes)
{
    return -posix_errno(file_do(file, call_truncate, &bytes));
}

static s64 call_stat(cap_t server, u64 handle, void *argument)
{
    return fs_file_stat(server, handle, argument);
}

void file_stat_fill(const struct fs_stat *from, struct stat *to)
{
    static const mode_t types[] = {
        [FS_KIND_FILE] = S_IFREG, [FS_KIND_DIRECTORY] = S_IFDIR, [FS_KIND_PIPE] = S_IFIFO};
    mode_t mode = S_IRUSR | S_IRGRP | S_IROTH | S_IXUSR | S_IXGRP | S_IXOTH;
    if (from->writable != 0)
        mode |= S_IWUSR;
    if (from->kind < ARRAY_SIZE(types))
        mode |= types[from->kind];
    *to = (struct stat){.st_ino = (ino_t)from->id,
                        .st_mode = mode,
                        .st_nlink = (nlink_t)from->links,
                        .st_size = (off_t)from->bytes,
                        .st_blksize = 4096,
                        .st_blocks = (blkcnt_t)((from->bytes + 511) / 512)};
    to->st_mtim.tv_sec = (time_t)(from->time / TIME_SECOND);
    to->st_ctim = to->st_atim = to->st_mtim;
}

static s64 file_stat(struct fd_file *file, struct stat *to)
{
    struct fs_stat info;
    s64 status = file_do(file, call_stat, &info);
    if (status == 0)
        file_stat_fill(&info, to);
    return -posix_errno(status);
}

static s64 call_ready(cap_t server, u64 handle, void *argument)
{
    return fs_ready(server, handle, argument);
}

static s64 file_ready(struct fd_file *file, int events)
{
    u32 bits = 0;
    if (!is_pipe(file))
        return events & (POLLIN | POLLOUT);
    if (file_do(file, call_ready, &bits) != 0)
        return POLLERR;
    int result = (bits & FS_READY_END) != 0 ? POLLHUP : 0;
    if ((bits & FS_READY_READ) != 0)
        result |= events & POLLIN;
    if ((bits & FS_READY_WRITE) != 0)
        result |= events & POLLOUT;
    return result;
}

static s64 call_close(cap_t server, u64 handle, void *argument)
{
    (void)argument;
    return fs_close(server, handle);
}

// Closing must not wait for a server that has gone: it has forgotten the handle.
static void close_handle(struct service *service, u64 handle)
{
    cap_t server;
    if (service_endpoint(service, 0, &server) == 0 && call_close(server, handle, NULL) == E_PEER)
        service_lost(service, server);
}

static void file_close(struct fd_file *file)
{
    close_handle(file->private, file->handle);
}

struct fd_file *file_new(struct service *service, u64 handle, u32 kind, int flags)
{
    struct fd_file *file = fd_file_new(&file_ops, (u32)flags);
    if (file == NULL) {
        close_handle(service, handle);
        return NULL;
    }
    file->private = service;
    file->handle = handle;
    file->words[0] = kind;
    return file;
}

static s64 call_sync(cap_t server, u64 handle, void *argument)
{
    (void)argument;
    return fs_sync(server, handle);
}

static s64 file_sync(struct fd_file *file)
{
    return is_pipe(file) ? 0 : -posix_errno(file_do(file, call_sync, NULL));
}

// ---- inheritance -------------------------------------------------------------------------------

// words: the child's handle, the kind, the service's name in the other four.
#define NAME_WORD 2
_Static_assert(NAME_WORD + (FS_SERVICE_MAX + 1) / 8 <= FD_INHERIT_WORDS, "fd_inherit");

static s64 call_duplicate(cap_t server, u64 handle, void *argument)
{
    return fs_duplicate(server, handle, argument);
}

static s64 file_lend(struct fd_file *file, struct fd_inherit *to)
{
    s64 status = file_do(file, call_duplicate, &to->words[0]);
    to->words[1] = file->words[0];
    strcpy((char *)&to->words[NAME_WORD], service_name(file->private));
    return -posix_errno(status);
}

static void file_lent(struct fd_file *file, const struct fd_inherit *to, u32 pid)
{
    cap_t server;
    // A child that was killed before it has begun takes nothing: the handle is still ours.
    if (pid == 0 || service_endpoint(file->private, 0, &server) != 0 ||
        fs_give(server, to->words[0], pid) != 0)
        close_handle(file->private, to->words[0]);
}

static s64 file_borrow(struct fd_file *file, const struct fd_inherit *from)
{
    char name[FS_SERVICE_MAX + 1];
    memcpy(name, &from->words[NAME_WORD], sizeof(name));
    name[FS_SERVICE_MAX] = '\0';
    file->private = service_get(name);
    file->handle = from->words[0];
    file->words[0] = from->words[1];
    return file->private == NULL ? -ENOMEM : 0;
}

const struct fd_ops file_ops = {
    .kind = "file",
    .read = file_read,
    .write = file_write,
    .seek = file_seek,
    .truncate = file_truncate,
    .sync = file_sync,
    .stat = file_stat,
    .ready = file_ready,
    .close = file_close,
    .lend = file_lend,
    .lent = file_lent,
    .borrow = file_borrow,
};
