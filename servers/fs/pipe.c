// SPDX-License-Identifier: MIT
// Pipes. A call that has to wait is put aside, and answered when the other end moves. No thread
// waits with it, so waiting readers cannot keep writers out, however many they are.
#include "pipe.h"

#include "pages.h"

#include <ipc/fs.h>
#include <stdlib.h>
#include <string.h>
#include <user/ipc.h>
#include <user/lock.h>

#define RING_BYTES 0x4000
#define ATOMIC_BYTES 4096 // the longest write that goes in whole
#define WAITING_MAX 64    // calls that wait at one end

struct waiting {
    struct waiting *next;
    u64 call;
    u64 bytes; // room of a reader, or length of a writer's data
    u64 pages; // in the account
    u8 data[]; // of a writer
};

struct queue {
    struct waiting *first, **last;
    struct waiting *spare; // one without data, for the next reader; or NULL
    u32 count;
};

struct pipe_ops {
    struct co_ops base;
    s64 (*read)(struct pipe *self, u64 call, void *to, u64 bytes, bool no_wait, u64 *moved);
    s64 (*write)(struct pipe *self, u64 call, const void *from, u64 bytes, bool no_wait,
                 u64 *moved);
    s64 (*close)(struct pipe *self, enum pipe_end end);
};

struct pipe {
    CO_REP(struct pipe_ops);
    struct co_root root;
    struct mutex lock; // of all below
    u32 openings[2];   // by end
    struct queue waiting[2];
    u64 start, bytes; // of the ring's contents
    u8 ring[RING_BYTES];
};

// ---- the ring ----------------------------------------------------------------------------------

static u64 ring_put(struct pipe *pipe, const u8 *from, u64 bytes)
{
    if (bytes > RING_BYTES - pipe->bytes)
        bytes = RING_BYTES - pipe->bytes;
    u64 at = (pipe->start + pipe->bytes) % RING_BYTES;
    u64 first = bytes < RING_BYTES - at ? bytes : RING_BYTES - at;
    memcpy(pipe->ring + at, from, first);
    memcpy(pipe->ring, from + first, bytes - first);
    pipe->bytes += bytes;
    return bytes;
}

static u64 ring_peek(const struct pipe *pipe, u8 *to, u64 bytes)
{
    if (bytes > pipe->bytes)
        bytes = pipe->bytes;
    u64 first = bytes < RING_BYTES - pipe->start ? bytes : RING_BYTES - pipe->start;
    memcpy(to, pipe->ring + pipe->start, first);
    memcpy(to + first, pipe->ring, bytes - first);
    return bytes;
}

static void ring_drop(struct pipe *pipe, u64 bytes)
{
    pipe->start = (pipe->start + bytes) % RING_BYTES;
    pipe->bytes -= bytes;
}

// ---- waiting calls -----------------------------------------------------------------------------

static u64 pages_for(u64 bytes)
{
    return (bytes + PAGE - 1) / PAGE;
}

// Makes memory for a call, accounted for if there is data in it.
static struct waiting *waiting_new(u64 copied)
{
    u64 pages = pages_for(copied);
    if (!pages_take(pages))
        return NULL;
    struct waiting *waiting = malloc(sizeof(*waiting) + copied);
    if (waiting == NULL)
        pages_return(pages);
    else
        waiting->pages = pages;
    return waiting;
}

static void waiting_free(struct waiting *waiting)
{
    pages_return(waiting->pages);
    free(waiting);
}

// Puts a call at the queue's end. data: a writer's, copied; NULL for a reader. Returns IPC_LATER or
// E_LIMIT.
static s64 put_aside(struct queue *queue, u64 call, const void *data, u64 bytes)
{
    u64 copied = data != NULL ? bytes : 0;
    if (queue->count == WAITING_MAX)
        return E_LIMIT;
    struct waiting *waiting = NULL;
    if (copied == 0) {
        waiting = queue->spare;
        queue->spare = NULL;
    }
    if (waiting == NULL)
        waiting = waiting_new(copied);
    if (waiting == NULL)
        return E_LIMIT;
    waiting->next = NULL;
    waiting->call = call;
    waiting->bytes = bytes;
    if (copied > 0)
        memcpy(waiting->data, data, copied);
    if (queue->first == NULL)
        queue->last = &queue->first;
    *queue->last = waiting;
    queue->last = &waiting->next;
    queue->count++;
    return IPC_LATER;
}

// Removes the first call. keep: keeps its memory for the next reader, so that a reader of single
// bytes does not allocate each time. A writer's memory has room for its own data only.
static void waited(struct queue *queue, bool keep)
{
    struct waiting *waiting = queue->first;
    queue->first = waiting->next;
    queue->count--;
    if (keep && queue->spare == NULL)
        queue->spare = waiting;
    else
        waiting_free(waiting);
}

// Gives the start of data to the first waiting reader. Returns how many bytes it took, 0 if it has
// ended meanwhile.
static u64 answer_reader(struct pipe *pipe, const u8 *data, u64 bytes)
{
    struct queue *queue = &pipe->waiting[PIPE_READ];
    u64 part = bytes < queue->first->bytes ? bytes : queue->first->bytes;
    if (fs_answer_read(queue->first->call, 0, data, part) != 0)
        part = 0;
    waited(queue, true);
    return part;
}

// Gives the ring's bytes to the first waiting reader. They stay if it has ended meanwhile.
static void serve_reader(struct pipe *pipe)
{
    u8 data[FS_DATA_MAX];
    ring_drop(pipe, answer_reader(pipe, data, ring_peek(pipe, data, sizeof(data))));
}

// Returns true if a write of so many bytes need not wait: a short one fits whole, or there is room
// for a byte of a long one.
static bool has_room(const struct pipe *pipe, u64 bytes)
{
    u64 room = RING_BYTES - pipe->bytes;
    return room >= (bytes <= ATOMIC_BYTES ? bytes : 1);
}

// Moves bytes between the calls that wait. Refuses all writers if nobody can read.
static void move_waiting(struct pipe *pipe)
{
    struct queue *writers = &pipe->waiting[PIPE_WRITE];
    while (pipe->openings[PIPE_READ] == 0 && writers->first != NULL) {
        fs_answer_write(writers->first->call, E_PEER, 0);
        waited(writers, false);
    }
    bool moved = true;
    while (moved) {
        moved = false;
        const struct waiting *writer = writers->first;
        if (writer != NULL && has_room(pipe, writer->bytes)) {
            u64 bytes = ring_put(pipe, writer->data, writer->bytes);
            fs_answer_write(writer->call, 0,
                            bytes); // the bytes stay, also if it has ended meanwhile
            waited(writers, false);
            moved = true;
        }
        bool readable = pipe->bytes > 0 || pipe->openings[PIPE_WRITE] == 0;
        if (pipe->waiting[PIPE_READ].first != NULL && readable) {
            serve_reader(pipe);
            moved = true;
        }
    }
}

// ---- methods -----------------------------------------------------------------------------------

static s64 read_locked(struct pipe *pipe, u64 call, void *to, u64 bytes, bool no_wait, u64 *moved)
{
    *moved = 0;
    if (pipe->bytes > 0 && pipe->waiting[PIPE_READ].first == NULL) {
        *moved = ring_peek(pipe, to, bytes);
        ring_drop(pipe, *moved);
        return 0;
    }
    if (pipe->openings[PIPE_WRITE] == 0 || bytes == 0)
        return 0;
    return no_wait ? E_AGAIN : put_aside(&pipe->waiting[PIPE_READ], call, NULL, bytes);
}

static CO_METHOD s64 do_read(struct pipe *self, u64 call, void *to, u64 bytes, bool no_wait,
                             u64 *moved)
{
    CO_HOME(self);
    mutex_lock(&self->lock);
    s64 status = read_locked(self, call, to, bytes, no_wait, moved);
    move_waiting(self);
    mutex_unlock(&self->lock);
    return status;
}

// Writes with the lock held. While a reader waits, the ring is empty and no writer waits: then
// bytes go straight to readers.
static s64 write_locked(struct pipe *pipe, u64 call, const void *from, u64 bytes, bool no_wait,
                        u64 *moved)
{
    *moved = 0;
    if (pipe->openings[PIPE_READ] == 0)
        return E_PEER;
    if (bytes == 0)
        return 0;
    if (has_room(pipe, bytes) && pipe->waiting[PIPE_WRITE].first == NULL) {
        const u8 *data = from;
        u64 given = 0;
        while (given < bytes && pipe->waiting[PIPE_READ].first != NULL)
            given += answer_reader(pipe, data + given, bytes - given);
        *moved = given < bytes ? given + ring_put(pipe, data + given, bytes - given) : bytes;
        return 0;
    }
    return no_wait ? E_AGAIN : put_aside(&pipe->waiting[PIPE_WRITE], call, from, bytes);
}

static CO_METHOD s64 do_write(struct pipe *self, u64 call, const void *from, u64 bytes,
                              bool no_wait, u64 *moved)
{
    CO_HOME(self);
    mutex_lock(&self->lock);
    s64 status = write_locked(self, call, from, bytes, no_wait, moved);
    move_waiting(self);
    mutex_unlock(&self->lock);
    return status;
}

static CO_METHOD s64 do_close(struct pipe *self, enum pipe_end end)
{
    CO_HOME(self);
    mutex_lock(&self->lock);
    self->openings[end]--;
    move_waiting(self);
    bool last = self->openings[PIPE_READ] == 0 && self->openings[PIPE_WRITE] == 0;
    mutex_unlock(&self->lock);
    return last;
}

static const struct pipe_ops ops = {
    .base = CO_LEAF,
    .read = do_read,
    .write = do_write,
    .close = do_close,
};

// Frees a pipe. A call may still wait if its caller has closed the end meanwhile.
static void destroy(struct co_root *root)
{
    struct pipe *pipe = container_of(root, struct pipe, root);
    while (pipe->waiting[PIPE_READ].first != NULL) {
        fs_answer_read(pipe->waiting[PIPE_READ].first->call, E_STALE, NULL, 0);
        waited(&pipe->waiting[PIPE_READ], false);
    }
    free(pipe->waiting[PIPE_READ].spare);
    free(pipe);
    pages_return(pages_for(sizeof(*pipe)));
}

static struct co_class class = {
    .name = "Pipe",
    .implementation = "PipeRing",
    .size = sizeof(struct pipe),
    .ops = &ops.base,
    .destroy = destroy,
};

static struct pipe *make(void)
{
    struct pipe *pipe = calloc(1, sizeof(*pipe));
    if (pipe == NULL)
        return NULL;
    pipe->openings[PIPE_READ] = pipe->openings[PIPE_WRITE] = 1;
    if (co_create_shared(&class, &pipe->root, &pipe->co) > 0)
        return pipe;
    free(pipe);
    return NULL;
}

struct pipe *pipe_create(void)
{
    const u64 pages = pages_for(sizeof(struct pipe));
    if (!pages_take(pages))
        return NULL;
    struct pipe *pipe = make();
    if (pipe == NULL)
        pages_return(pages);
    return pipe;
}

coid_t pipe_coid(const struct pipe *pipe)
{
    return pipe->root.coid;
}

void pipe_close(struct pipe *pipe, enum pipe_end end)
{
    if (CO_CALL(struct pipe, pipe->root.coid, close, end) == 1)
        co_destroy(pipe->root.coid);
}

s64 pipe_read(struct pipe *pipe, u64 call, void *to, u64 bytes, bool no_wait, u64 *moved)
{
    return CO_CALL(struct pipe, pipe->root.coid, read, call, to, bytes, no_wait, moved);
}

s64 pipe_write(struct pipe *pipe, u64 call, const void *from, u64 bytes, bool no_wait, u64 *moved)
{
    return CO_CALL(struct pipe, pipe->root.coid, write, call, from, bytes, no_wait, moved);
}

u32 pipe_ready(struct pipe *pipe, enum pipe_end end)
{
    u32 bits = 0;
    mutex_lock(&pipe->lock);
    if (pipe->openings[1 - end] == 0)
        bits = FS_READY_END | (end == PIPE_READ ? FS_READY_READ : FS_READY_WRITE);
    if (end == PIPE_READ && pipe->bytes > 0)
        bits |= FS_READY_READ;
    if (end == PIPE_WRITE && has_room(pipe, ATOMIC_BYTES) &&
        pipe->waiting[PIPE_WRITE].first == NULL)
        bits |= FS_READY_WRITE;
    mutex_unlock(&pipe->lock);
    return bits;
}

u64 pipe_bytes(struct pipe *pipe)
{
    return pipe->bytes;
}
