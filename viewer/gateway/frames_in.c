// SPDX-License-Identifier: MIT
// The rules of RFC 6455 for heads of frames.
#include "gateway/frames_in.h"
#include <messages.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define SOCKETS_MAX 1024 // descriptors have small numbers: net.c limits connections
#define HEAD_BYTES_MAX 14
#define CONTROL_BYTES_MAX 125
#define END_OF_HEAD 0x0d0a0d0a // CR LF CR LF

#define CLOSE_PROTOCOL_ERROR 1002
#define CLOSE_TOO_BIG 1009

struct frames_in {
    bool known;                 // a connection of this thread
    bool seen;                  // something has come through recv() below
    u32 tail;                   // the last four bytes of HTTP
    frames_in_fault_t on_fault; // NULL: HTTP
    void *context;
    u8 head[HEAD_BYTES_MAX];
    u32 head_size;
    u64 payload; // what is left of the frame's
    u64 message; // bytes of the message, with those of the frame
    bool bad;
};

// Each thread has its own: the machines' threads read from connections of another kind.
static _Thread_local struct frames_in *all;
static struct frames_in table[SOCKETS_MAX];

static struct frames_in *find(int socket)
{
    return all == NULL || socket < 0 || socket >= SOCKETS_MAX ? NULL : &all[socket];
}

void frames_in_begin(int socket)
{
    all = table;
    struct frames_in *frames = find(socket);
    if (frames != NULL)
        *frames = (struct frames_in){.known = true};
}

bool frames_in_waits(int socket)
{
    struct frames_in *frames = find(socket);
    return frames == NULL || !frames->seen || frames->tail == END_OF_HEAD;
}

void frames_in_watch(int socket, frames_in_fault_t on_fault, void *context)
{
    struct frames_in *frames = find(socket);
    if (frames != NULL) {
        frames->on_fault = on_fault;
        frames->context = context;
    }
}

void frames_in_end(int socket)
{
    struct frames_in *frames = find(socket);
    if (frames != NULL)
        *frames = (struct frames_in){0};
}

// The bytes of a head, as far as it is there: from two on, they tell.
static u32 head_bytes(const struct frames_in *frames)
{
    if (frames->head_size < 2)
        return 2;
    u8 length = frames->head[1] & 127;
    return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + 4;
}

static u64 announced(const struct frames_in *frames)
{
    u64 length = frames->head[1] & 127;
    u32 bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (bytes == 0)
        return length;
    length = 0;
    for (u32 i = 0; i < bytes; i++)
        length = length << 8 | frames->head[2 + i];
    return length;
}

// Returns with which status a frame of this head closes the connection, or 0. Its mask need not be
// there yet. Opcodes and reserved bits are left to libwebsockets, which looks at them.
static u16 fault_of(const struct frames_in *frames)
{
    bool control = (frames->head[0] & 8) != 0;
    if ((frames->head[1] & 128) == 0)
        return CLOSE_PROTOCOL_ERROR;
    if (control && (frames->head[1] & 127) > CONTROL_BYTES_MAX)
        return CLOSE_PROTOCOL_ERROR;
    if (frames->head_size < head_bytes(frames) - 4)
        return 0;
    u64 before = (frames->head[0] & 15) == 0 ? frames->message : 0;
    return !control && announced(frames) > MESSAGE_IN_BYTES - before ? CLOSE_TOO_BIG : 0;
}

// Takes one byte of a head. Returns whether it may go on.
static bool take_head(struct frames_in *frames, u8 byte)
{
    frames->head[frames->head_size++] = byte;
    if (frames->head_size < 2)
        return true;
    u16 fault = fault_of(frames);
    if (fault != 0) {
        frames->bad = true;
        frames->on_fault(frames->context, fault);
        return false;
    }
    if (frames->head_size < head_bytes(frames))
        return true;
    frames->payload = announced(frames);
    if ((frames->head[0] & 15) == 0)
        frames->message += frames->payload;
    else if ((frames->head[0] & 8) == 0)
        frames->message = frames->payload;
    frames->head_size = 0;
    return true;
}

// Returns how many of these bytes may go on.
static size_t take_frames(struct frames_in *frames, const u8 *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        if (frames->payload > 0) {
            size_t part = frames->payload < size - at ? (size_t)frames->payload : size - at;
            frames->payload -= part;
            at += part;
        } else if (!take_head(frames, data[at++])) {
            return at - 1;
        }
    }
    return size;
}

// In place of the C library's, also for libwebsockets.
__attribute__((visibility("default"))) ssize_t recv(int socket, void *data, size_t size, int flags)
{
    ssize_t got = recvfrom(socket, data, size, flags, NULL, NULL);
    struct frames_in *frames = find(socket);
    if (got <= 0 || frames == NULL || !frames->known || (flags & MSG_PEEK) != 0)
        return got;
    frames->seen = true;
    if (frames->on_fault == NULL) {
        for (ssize_t i = got > 4 ? got - 4 : 0; i < got; i++)
            frames->tail = frames->tail << 8 | ((const u8 *)data)[i];
        return got;
    }
    size_t pass = frames->bad ? 0 : take_frames(frames, data, (size_t)got);
    if (pass > 0)
        return (ssize_t)pass;
    errno = EAGAIN;
    return -1;
}
