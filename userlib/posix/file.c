// SPDX-License-Identifier: MIT
// Files and directories of servers, as a kind of open file.
#include "direct.h"
#include "file.h"
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/unistd.h>
#include <user/scheduler.h>
#include <user/time.h>

// What a file's fields mean here. private: the service. handle: the server's. words[0]: FS_KIND_*,
// whether others may have the opening, too, and how often it was read or written by calls.
// words[1]: its struct direct, or 0.
#define KIND_MASK 0xffUL
#define PASSED 0x100UL
#define ONE_USE 0x10000UL
#define USES_MIN 16 // before it is worth while to map a file

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

s64 file_read_part(const struct fd_file *file, void *to, u64 *bytes, u64 offset, u32 flags)
{
    struct transfer transfer = {.to = to,
                                .bytes = *bytes < FS_DATA_MAX ? *bytes : FS_DATA_MAX,
                                .offset = offset,
                                .flags = flags};
    s64 status = file_do(file, call_read, &transfer);
    *bytes = transfer.bytes;
    return status;
}

s64 file_write_part(const struct fd_file *file, const void *from, u64 *bytes, u64 offset, u32 flags)
{
    struct transfer transfer = {.from = from,
                                .bytes = *bytes < FS_DATA_MAX ? *bytes : FS_DATA_MAX,
                                .offset = offset,
                                .flags = flags};
    s64 status = file_do(file, call_write, &transfer);
    *bytes = transfer.bytes;
    return status;
}

static u32 transfer_flags(const struct fd_file *file)
{
    return (file->flags & O_NONBLOCK) != 0 ? FS_NO_WAIT : 0;
}

static u64 offset_after(s64 offset, u64 done)
{
    return offset == FD_AT_POSITION ? FS_CURRENT : (u64)offset + done;
}

// ---- without calls -----------------------------------------------------------------------------

// Returns the file's direct, and makes one if there is none. What calls at the position have done
// so far, they have done: who comes after the fence sees it.
static struct direct *direct_make(struct fd_file *file)
{
    struct direct *none = NULL, *made = calloc(1, sizeof(*made));
    if (made != NULL && !__atomic_compare_exchange_n((struct direct **)&file->words[1], &none, made,
                                                     false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        free(made);
        made = none;
    }
    return made;
}

static struct direct *direct_of(const struct fd_file *file)
{
    struct direct *direct = (struct direct *)__atomic_load_n(&file->words[1], __ATOMIC_ACQUIRE);
    if (__builtin_expect(direct != NULL, 1))
        return direct;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); // we hold the file: see take_position
    return (struct direct *)__atomic_load_n(&file->words[1], __ATOMIC_ACQUIRE);
}

static s64 call_seek(cap_t server, u64 handle, void *argument);

struct seek {
    s64 offset;
    u32 whence;
    u64 position;
};

// Keeps the position here, if the opening is one process's, and no other call is under way that may
// have begun at the server's position. Lock held.
static void take_position(struct fd_file *file, struct direct *direct)
{
    struct seek seek = {.whence = FS_SEEK_CURRENT};
    bool alone = __atomic_load_n(&file->references, __ATOMIC_SEQ_CST) == 2;
    if (direct->own_position || !alone || (file->flags & O_APPEND) != 0 ||
        (file->words[0] & PASSED) != 0 || file_do(file, call_seek, &seek) != 0)
        return;
    direct->position = seek.position;
    direct->own_position = true;
}

// Gives the position back to the server, before another process gets the opening.
static s64 return_position(struct fd_file *file)
{
    s64 status = 0;
    struct direct *direct = direct_of(file);
    __atomic_or_fetch(&file->words[0], PASSED, __ATOMIC_SEQ_CST);
    if (direct == NULL)
        return 0;
    mutex_lock(&direct->lock);
    if (direct->own_position) {
        struct seek seek = {.offset = (s64)direct->position, .whence = FS_SEEK_START};
        status = file_do(file, call_seek, &seek);
        direct->own_position = status != 0;
    }
    mutex_unlock(&direct->lock);
    return status;
}

// Counts a call. Returns true after the 16th, 32nd, 64th, …: then it is time to try without calls.
static bool is_time(struct fd_file *file, u64 *uses)
{
    *uses = __atomic_add_fetch(&file->words[0], ONE_USE, __ATOMIC_RELAXED) / ONE_USE;
    return *uses >= USES_MIN && (*uses & (*uses - 1)) == 0;
}

// Tries to do without calls from now on. Lock held.
static void do_without(struct fd_file *file, struct direct *direct, u64 uses)
{
    if (direct->data == NULL)
        direct_map(file, direct, uses);
    if (direct->data != NULL)
        take_position(file, direct);
}

static void count_use(struct fd_file *file, struct direct *direct)
{
    u64 uses;
    if (is_time(file, &uses))
        do_without(file, direct, uses);
}

static void count_first_use(struct fd_file *file)
{
    u64 uses;
    struct direct *direct = is_time(file, &uses) ? direct_make(file) : NULL;
    if (direct == NULL)
        return;
    mutex_lock(&direct->lock);
    do_without(file, direct, uses);
    mutex_unlock(&direct->lock);
}

// ---- reading and writing, by calls or without ---------------------------------------------------

// Reads all that was asked for, as far as the file goes.
static s64 read_by_calls(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = bytes - done < FS_DATA_MAX ? bytes - done : FS_DATA_MAX, now = part;
        s64 status = file_read_part(file, (char *)to + done, &now, offset_after(offset, done),
                                    transfer_flags(file));
        if (status != 0)
            return done > 0 ? (s64)done : -posix_errno(status);
        done += now;
        if (now < part)
            break;
    }
    return (s64)done;
}

// Finds where a transfer without calls is. Returns false if it is at the server's position.
static bool find_place(const struct direct *direct, s64 offset, u64 *place)
{
    *place = offset == FD_AT_POSITION ? direct->position : (u64)offset;
    return offset != FD_AT_POSITION || direct->own_position;
}

// Lock held.
static s64 read_at_place(struct fd_file *file, struct direct *direct, void *to, u64 bytes,
                         s64 offset)
{
    u64 place;
    bool placed = find_place(direct, offset, &place);
    s64 done = placed ? direct_read(file, direct, to, bytes, place) : DIRECT_OTHERWISE;
    if (done == DIRECT_OTHERWISE) {
        done = read_by_calls(file, to, bytes, placed ? (s64)place : offset);
        count_use(file, direct);
    }
    if (placed && offset == FD_AT_POSITION && done > 0)
        direct->position += (u64)done;
    return done;
}

static s64 file_read(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    struct direct *direct = direct_of(file);
    if (direct == NULL) {
        s64 done = read_by_calls(file, to, bytes, offset);
        count_first_use(file);
        return done;
    }
    mutex_lock(&direct->lock);
    s64 done = read_at_place(file, direct, to, bytes, offset);
    mutex_unlock(&direct->lock);
    return done;
}

static s64 write_by_calls(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = bytes - done;
        s64 status = file_write_part(file, (const char *)from + done, &part,
                                     offset_after(offset, done), transfer_flags(file));
        if (status != 0)
            return done > 0 ? (s64)done : -posix_errno(status);
        done += part;
        if (part == 0)
            break;
    }
    return (s64)done;
}

// Lock held.
static s64 write_at_place(struct fd_file *file, struct direct *direct, const void *from, u64 bytes,
                          s64 offset)
{
    u64 place;
    bool placed = find_place(direct, offset, &place);
    s64 done = placed ? direct_write(file, direct, from, bytes, place) : DIRECT_OTHERWISE;
    if (done == DIRECT_OTHERWISE) {
        done = write_by_calls(file, from, bytes, placed ? (s64)place : offset);
        count_use(file, direct);
    }
    if (placed && offset == FD_AT_POSITION && done > 0)
        direct->position += (u64)done;
    return done;
}

static s64 file_write(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    struct direct *direct = direct_of(file);
    if (direct == NULL) {
        s64 done = write_by_calls(file, from, bytes, offset);
        count_first_use(file);
        return done;
    }
    mutex_lock(&direct->lock);
    s64 done = write_at_place(file, direct, from, bytes, offset);
    mutex_unlock(&direct->lock);
    return done;
}

// ---- the rest ----------------------------------------------------------------------------------

static s64 call_seek(cap_t server, u64 handle, void *argument)
{
    struct seek *seek = argument;
    return fs_seek(server, handle, seek->offset, seek->whence, &seek->position);
}

static s64 seek_by_call(struct fd_file *file, struct seek *seek)
{
    s64 status = file_do(file, call_seek, seek);
    if (status == E_NOTSUP)
        return -ESPIPE;
    return status != 0 ? -posix_errno(status) : (s64)seek->position;
}

// Seeks without a call, but for the end if only the server knows it.
static s64 seek_here(struct fd_file *file, struct direct *direct, struct seek *seek)
{
    s64 base = seek->whence == FS_SEEK_CURRENT ? (s64)direct->position : 0, target;
    if (seek->whence == FS_SEEK_END && !direct_bytes(file, direct, (u64 *)&base))
        target = seek_by_call(file, seek);
    else if (__builtin_add_overflow(base, seek->offset, &target) || target < 0)
        target = -EINVAL;
    if (target >= 0)
        direct->position = (u64)target;
    return target;
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
    struct direct *direct = direct_of(file);
    if (direct == NULL)
        return seek_by_call(file, &seek);
    mutex_lock(&direct->lock);
    s64 result = direct->own_position ? seek_here(file, direct, &seek) : seek_by_call(file, &seek);
    mutex_unlock(&direct->lock);
    return result;
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

// Fills field by field, and all of them: an initialiser would be a call of memset.
void file_stat_fill(const struct fs_stat *from, struct stat *to)
{
    static const mode_t types[] = {
        [FS_KIND_FILE] = S_IFREG, [FS_KIND_DIRECTORY] = S_IFDIR, [FS_KIND_PIPE] = S_IFIFO};
    mode_t mode = S_IRUSR | S_IRGRP | S_IROTH | S_IXUSR | S_IXGRP | S_IXOTH;
    if (from->writable != 0)
        mode |= S_IWUSR;
    if (from->kind < ARRAY_SIZE(types))
        mode |= types[from->kind];
    to->st_dev = to->st_rdev = 0;
    to->st_ino = (ino_t)from->id;
    to->st_mode = mode;
    to->st_nlink = (nlink_t)from->links;
    to->st_uid = to->st_gid = 0;
    to->st_size = (off_t)from->bytes;
    to->st_blksize = 4096;
    to->st_blocks = (blkcnt_t)((from->bytes + 511) / 512);
    to->st_mtim.tv_sec = (time_t)(from->time / TIME_SECOND);
    to->st_mtim.tv_nsec = 0;
    to->st_ctim = to->st_atim = to->st_mtim;
    to->st_spare4[0] = to->st_spare4[1] = 0;
}

s64 file_stat_by_call(const struct fd_file *file, struct stat *to)
{
    struct fs_stat info;
    s64 status = file_do(file, call_stat, &info);
    if (status == 0)
        file_stat_fill(&info, to);
    return -posix_errno(status);
}

static s64 file_stat(struct fd_file *file, struct stat *to)
{
    struct fs_stat info;
    s64 status = 0;
    struct direct *direct = direct_of(file);
    if (direct == NULL)
        return file_stat_by_call(file, to);
    mutex_lock(&direct->lock);
    if (!direct_stat(file, direct, &info)) {
        status = file_do(file, call_stat, &info);
        if (status == 0)
            direct_know(direct, &info);
    }
    mutex_unlock(&direct->lock);
    if (status == 0)
        file_stat_fill(&info, to);
    return -posix_errno(status);
}

static s64 call_close(cap_t server, u64 handle, void *argument)
{
    (void)argument;
    return fs_close(server, handle);
}

void file_close_handle(struct service *service, u64 handle)
{
    cap_t server = service_known(service);
    if ((server != 0 || service_endpoint(service, 0, &server) == 0) &&
        call_close(server, handle, NULL) == E_PEER)
        service_lost(service, server);
}

static void file_close(struct fd_file *file)
{
    struct direct *direct = direct_of(file);
    if (direct != NULL)
        direct_end(direct);
    file_close_handle(file->private, file->handle);
}

struct fd_file *file_new(struct service *service, u64 handle, u32 kind, int flags)
{
    struct fd_file *file = fd_file_new(kind == FS_KIND_PIPE ? &pipe_ops : &file_ops, (u32)flags);
    if (file == NULL) {
        file_close_handle(service, handle);
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
    return -posix_errno(file_do(file, call_sync, NULL));
}

// ---- inheritance -------------------------------------------------------------------------------

// words: the child's handle, the kind, the service's name in the other four.
#define NAME_WORD 2
_Static_assert(NAME_WORD + (FS_SERVICE_MAX + 1) / 8 <= FD_INHERIT_WORDS, "fd_inherit");

static s64 call_duplicate(cap_t server, u64 handle, void *argument)
{
    return fs_duplicate(server, handle, argument);
}

s64 file_lend_handle(const struct fd_file *file, struct fd_inherit *to)
{
    to->words[1] = file->words[0] & KIND_MASK;
    strcpy((char *)&to->words[NAME_WORD], service_name(file->private));
    return -posix_errno(file_do(file, call_duplicate, &to->words[0]));
}

static s64 file_lend(struct fd_file *file, struct fd_inherit *to)
{
    s64 status = return_position(file);
    return status != 0 ? -posix_errno(status) : file_lend_handle(file, to);
}

void file_lent(struct fd_file *file, const struct fd_inherit *to, u32 pid)
{
    cap_t server;
    // A child that was killed before it has begun takes nothing: the handle is still ours.
    if (pid == 0 || service_endpoint(file->private, 0, &server) != 0 ||
        fs_give(server, to->words[0], pid) != 0)
        file_close_handle(file->private, to->words[0]);
}

s64 file_borrow(struct fd_file *file, const struct fd_inherit *from)
{
    char name[FS_SERVICE_MAX + 1];
    memcpy(name, &from->words[NAME_WORD], sizeof(name));
    name[FS_SERVICE_MAX] = '\0';
    file->private = service_get(name);
    file->handle = from->words[0];
    file->words[0] = (from->words[1] & KIND_MASK) | PASSED;
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
    .leave = file_leave,
    .close = file_close,
    .lend = file_lend,
    .lent = file_lent,
    .borrow = file_borrow,
};
