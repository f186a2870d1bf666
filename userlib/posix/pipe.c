// SPDX-License-Identifier: MIT
// Pipes, as a kind of open file: by calls, or without while both ends are this process's alone.
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <user/lock.h>

#define RING_BYTES 0x4000UL // as much as a pipe holds at the server
#define ATOMIC_BYTES 4096UL // a write of at most so many bytes is not torn: PIPE_BUF, at least
#define READER 0
#define WRITER 1
#define BY_CALLS 1 // a result: the bytes are at the server

// The bytes of a pipe both ends of which are open, here and nowhere else. So nobody can be missing
// at either end. The server alone decides who has closed, and whom that concerns.
struct own_pipe {
    struct mutex lock;            // of all below
    bool own;                     // false: they are the server's, for good
    u32 references;               // of the two files
    const struct fd_file *writer; // while own
    struct condition changed[2];  // by end: bytes have come, room
    u32 waiting[2];               // threads there that have not been signalled, at least
    u64 start, bytes;             // of what the ring holds
    u8 *ring;                     // NULL: nothing has been written yet
};

static struct own_pipe *own_pipe_of(const struct fd_file *file)
{
    return (struct own_pipe *)file->words[1];
}

static bool may_be_own(const struct own_pipe *pipe)
{
    return pipe != NULL && __atomic_load_n(&pipe->own, __ATOMIC_ACQUIRE);
}

// ---- the ring; lock held -----------------------------------------------------------------------

static void ring_put(struct own_pipe *pipe, const u8 *from, u64 bytes)
{
    u64 at = (pipe->start + pipe->bytes) % RING_BYTES;
    u64 first = bytes < RING_BYTES - at ? bytes : RING_BYTES - at;
    memcpy(pipe->ring + at, from, first);
    if (bytes > first)
        memcpy(pipe->ring, from + first, bytes - first);
    pipe->bytes += bytes;
}

static void ring_drop(struct own_pipe *pipe, u64 bytes)
{
    pipe->start = (pipe->start + bytes) % RING_BYTES;
    pipe->bytes -= bytes;
}

static void ring_take(struct own_pipe *pipe, u8 *to, u64 bytes)
{
    u64 first = bytes < RING_BYTES - pipe->start ? bytes : RING_BYTES - pipe->start;
    memcpy(to, pipe->ring + pipe->start, first);
    if (bytes > first)
        memcpy(to + first, pipe->ring, bytes - first);
    ring_drop(pipe, bytes);
}

// ---- to the server -----------------------------------------------------------------------------

// Gives the bytes to the pipe at the server, which is empty so far and has as much room. What a
// server that has ended does not take is lost, as all that it had. Nobody waits for the next one,
// which has no such pipe.
static s64 hand_over(struct own_pipe *pipe)
{
    if (service_known(pipe->writer->private) == 0)
        return E_STALE;
    while (pipe->bytes > 0) {
        u64 first = RING_BYTES - pipe->start;
        u64 done = pipe->bytes < first ? pipe->bytes : first;
        s64 status =
            file_write_part(pipe->writer, pipe->ring + pipe->start, &done, FS_CURRENT, FS_NO_WAIT);
        if (status != 0)
            return status;
        ring_drop(pipe, done);
    }
    return 0;
}

// From here on all goes by calls, also for those who wait. What has been written goes to the server
// first, unless nobody can read it any more.
static s64 stop_owning(struct own_pipe *pipe, bool readable)
{
    s64 status = 0;
    mutex_lock(&pipe->lock);
    if (pipe->own) {
        if (readable)
            status = hand_over(pipe);
        free(pipe->ring);
        pipe->ring = NULL;
        __atomic_store_n(&pipe->own, false, __ATOMIC_RELEASE);
        condition_broadcast(&pipe->changed[READER]);
        condition_broadcast(&pipe->changed[WRITER]);
    }
    mutex_unlock(&pipe->lock);
    return status;
}

void pipe_own(struct fd_file *reader, struct fd_file *writer)
{
    struct own_pipe *pipe = calloc(1, sizeof(*pipe));
    if (pipe == NULL)
        return;
    pipe->own = true;
    pipe->references = 2;
    pipe->writer = writer;
    reader->words[1] = writer->words[1] = (u64)pipe;
}

// ---- waiting -----------------------------------------------------------------------------------

static u64 available(const struct own_pipe *pipe, u32 end)
{
    return end == READER ? pipe->bytes : RING_BYTES - pipe->bytes;
}

// Wakes one thread at an end. Each signal wakes at least one of those who are counted.
static void wake(struct own_pipe *pipe, u32 end)
{
    if (pipe->waiting[end] == 0)
        return;
    pipe->waiting[end]--;
    condition_signal(&pipe->changed[end]);
}

// Waits until there are so many bytes, or room for so many. Returns 0, with the lock held, or
// -EAGAIN or BY_CALLS.
static s64 enter(const struct fd_file *file, struct own_pipe *pipe, u32 end, u64 wanted)
{
    mutex_lock(&pipe->lock);
    while (pipe->own) {
        if (available(pipe, end) >= wanted)
            return 0;
        if ((file->flags & O_NONBLOCK) != 0) {
            mutex_unlock(&pipe->lock);
            return -EAGAIN;
        }
        pipe->waiting[end]++;
        condition_wait(&pipe->changed[end], &pipe->lock);
    }
    mutex_unlock(&pipe->lock);
    return BY_CALLS;
}

// Something has moved: wakes one who waits at the other end, and the next one at this end if
// something is left for it. Gives the lock back.
static void leave(struct own_pipe *pipe, u32 end)
{
    wake(pipe, 1 - end);
    if (available(pipe, end) > 0)
        wake(pipe, end);
    mutex_unlock(&pipe->lock);
}

// ---- reading and writing -----------------------------------------------------------------------

static u32 call_flags(const struct fd_file *file)
{
    return (file->flags & O_NONBLOCK) != 0 ? FS_NO_WAIT : 0;
}

// Reads what there is.
static s64 pipe_read(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    struct own_pipe *pipe = own_pipe_of(file);
    s64 status = BY_CALLS;
    if (offset != FD_AT_POSITION)
        return -ESPIPE;
    if (bytes == 0)
        return 0;
    if (may_be_own(pipe))
        status = enter(file, pipe, READER, 1);
    if (status == BY_CALLS) {
        status = file_read_part(file, to, &bytes, FS_CURRENT, call_flags(file));
        return status == 0 ? (s64)bytes : -posix_errno(status);
    }
    if (status != 0)
        return status;
    u64 part = bytes < pipe->bytes ? bytes : pipe->bytes;
    ring_take(pipe, to, part);
    leave(pipe, READER);
    return (s64)part;
}

// Writes a whole write at once, another one as far as there is room. Returns the bytes that went
// in, 0 if it goes on by calls, or -errno.
static s64 write_own(const struct fd_file *file, struct own_pipe *pipe, const u8 *from, u64 bytes,
                     bool whole)
{
    s64 status = enter(file, pipe, WRITER, whole ? bytes : 1);
    if (status != 0)
        return status == BY_CALLS ? 0 : status;
    if (pipe->ring == NULL)
        pipe->ring = malloc(RING_BYTES);
    if (pipe->ring == NULL) {
        mutex_unlock(&pipe->lock);
        stop_owning(pipe, true);
        return 0;
    }
    u64 room = available(pipe, WRITER);
    u64 part = bytes < room ? bytes : room;
    ring_put(pipe, from, part);
    leave(pipe, WRITER);
    return (s64)part;
}

static s64 write_by_calls(const struct fd_file *file, const u8 *from, u64 bytes)
{
    u64 done = 0;
    while (done < bytes) {
        u64 part = bytes - done;
        s64 status = file_write_part(file, from + done, &part, FS_CURRENT, call_flags(file));
        if (status != 0)
            return done > 0 ? (s64)done : status == E_PEER ? -EPIPE : -posix_errno(status);
        done += part;
        if (part == 0)
            break;
    }
    return (s64)done;
}

static s64 pipe_write(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    struct own_pipe *pipe = own_pipe_of(file);
    const u8 *data = from;
    bool whole = bytes <= ATOMIC_BYTES;
    u64 done = 0;
    if (offset != FD_AT_POSITION)
        return -ESPIPE;
    while (done < bytes && may_be_own(pipe)) {
        s64 part = write_own(file, pipe, data + done, bytes - done, whole);
        if (part < 0)
            return done > 0 ? (s64)done : part;
        done += (u64)part;
    }
    if (done == bytes)
        return (s64)done;
    s64 rest = write_by_calls(file, data + done, bytes - done);
    return rest >= 0 ? (s64)done + rest : done > 0 ? (s64)done : rest;
}

// ---- the rest ----------------------------------------------------------------------------------

static s64 pipe_stat(struct fd_file *file, struct stat *to)
{
    struct own_pipe *pipe = own_pipe_of(file);
    s64 status = file_stat_by_call(file, to);
    if (status != 0 || pipe == NULL)
        return status;
    mutex_lock(&pipe->lock);
    if (pipe->own)
        to->st_size = (off_t)pipe->bytes;
    mutex_unlock(&pipe->lock);
    return 0;
}

static s64 call_ready(cap_t server, u64 handle, void *argument)
{
    return fs_ready(server, handle, argument);
}

static s64 ready_by_call(const struct fd_file *file, int events)
{
    u32 bits = 0;
    if (file_do(file, call_ready, &bits) != 0)
        return POLLERR;
    int result = (bits & FS_READY_END) != 0 ? POLLHUP : 0;
    if ((bits & FS_READY_READ) != 0)
        result |= events & POLLIN;
    if ((bits & FS_READY_WRITE) != 0)
        result |= events & POLLOUT;
    return result;
}

static u32 end_of(const struct fd_file *file)
{
    return (file->flags & O_ACCMODE) == O_RDONLY ? READER : WRITER;
}

// If it tells that there is room, ATOMIC_BYTES can be written.
static s64 pipe_ready(struct fd_file *file, int events)
{
    struct own_pipe *pipe = own_pipe_of(file);
    u32 end = end_of(file);
    if (!may_be_own(pipe))
        return ready_by_call(file, events);
    mutex_lock(&pipe->lock);
    bool own = pipe->own;
    bool ready = available(pipe, end) >= (end == READER ? 1 : ATOMIC_BYTES);
    mutex_unlock(&pipe->lock);
    if (!own)
        return ready_by_call(file, events);
    return ready ? events & (end == READER ? POLLIN : POLLOUT) : 0;
}

static void pipe_close(struct fd_file *file)
{
    struct own_pipe *pipe = own_pipe_of(file);
    if (pipe != NULL) {
        stop_owning(pipe, end_of(file) == WRITER);
        if (__atomic_sub_fetch(&pipe->references, 1, __ATOMIC_ACQ_REL) == 0)
            free(pipe);
    }
    file_close_handle(file->private, file->handle);
}

// The child may use its end at once, so we stop owning.
static s64 pipe_lend(struct fd_file *file, struct fd_inherit *to)
{
    struct own_pipe *pipe = own_pipe_of(file);
    s64 status = pipe != NULL ? stop_owning(pipe, true) : 0;
    return status != 0 ? -posix_errno(status) : file_lend_handle(file, to);
}

const struct fd_ops pipe_ops = {
    .kind = "pipe",
    .read = pipe_read,
    .write = pipe_write,
    .stat = pipe_stat,
    .ready = pipe_ready,
    .close = pipe_close,
    .lend = pipe_lend,
    .lent = file_lent,
    .borrow = file_borrow,
};
