// SPDX-License-Identifier: MIT
// Frames on a connection: 4 bytes of length, big endian, then that many bytes. Each call has a
// deadline.
#include "wire/frame.h"
#include "tools/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

void frame_encode_length(u8 header[FRAME_HEADER_BYTES], u32 length)
{
    for (int i = 0; i < FRAME_HEADER_BYTES; i++)
        header[i] = (u8)(length >> (8 * (FRAME_HEADER_BYTES - 1 - i)));
}

u32 frame_decode_length(const u8 header[FRAME_HEADER_BYTES])
{
    u32 length = 0;
    for (int i = 0; i < FRAME_HEADER_BYTES; i++)
        length = length << 8 | header[i];
    return length;
}

enum frame_result frame_wait(const struct frame_socket *socket, short events, double deadline)
{
    for (;;) {
        double left = deadline - clock_now();
        if (left <= 0)
            return FRAME_TIMEOUT;
        struct pollfd pollers[] = {
            {.fd = socket->fd, .events = events},
            {.fd = socket->over, .events = POLLIN},
            {.fd = events == POLLIN ? socket->wake : -1, .events = POLLIN},
        };
        int count =
            poll(pollers, ARRAY_SIZE(pollers), left > 1000 ? 1000000 : (int)ceil(left * 1000));
        if (count > 0) // first, since the socket may always be ready
            return pollers[1].revents != 0 || pollers[2].revents != 0 ? FRAME_WOKEN : FRAME_OK;
        if (count < 0 && errno != EINTR)
            return FRAME_ERROR;
    }
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// Reads what is left of a part of the frame. `before` bytes of the frame come before this part.
static enum frame_result read_part(const struct frame_socket *socket, double deadline, size_t *done,
                                   size_t before, u8 *part, size_t size)
{
    while (*done < before + size) {
        ssize_t count = read(socket->fd, part + (*done - before), before + size - *done);
        if (count == 0)
            return *done == 0 ? FRAME_CLOSED : FRAME_TRUNCATED;
        if (count > 0) {
            *done += (size_t)count;
            continue;
        }
        if (!would_block())
            return FRAME_ERROR;
        enum frame_result result = frame_wait(socket, POLLIN, deadline);
        if (result != FRAME_OK)
            return result;
    }
    return FRAME_OK;
}

enum frame_result frame_read(const struct frame_socket *socket, double deadline,
                             struct frame_input *input)
{
    struct bytes *payload = &input->payload;
    payload->size = 0;
    enum frame_result result =
        read_part(socket, deadline, &input->done, 0, input->header, FRAME_HEADER_BYTES);
    if (result != FRAME_OK)
        return result;
    u32 length = frame_decode_length(input->header);
    if (length > FRAME_MAX_BYTES)
        return FRAME_TOO_LARGE;
    result = read_part(socket, deadline, &input->done, FRAME_HEADER_BYTES,
                       bytes_reserve(payload, length), length);
    if (result == FRAME_OK) {
        payload->size = length;
        input->done = 0;
    }
    return result;
}

static enum frame_result write_exactly(const struct frame_socket *socket, double deadline,
                                       const u8 *data, size_t size)
{
    while (size > 0) {
        ssize_t count = send(socket->fd, data, size, MSG_NOSIGNAL);
        if (count >= 0) {
            data += count;
            size -= (size_t)count;
            continue;
        }
        if (!would_block())
            return FRAME_ERROR;
        enum frame_result result = frame_wait(socket, POLLOUT, deadline);
        if (result != FRAME_OK)
            return result;
    }
    return FRAME_OK;
}

enum frame_result frame_write(const struct frame_socket *socket, double deadline, const u8 *payload,
                              size_t size)
{
    if (size > FRAME_MAX_BYTES)
        return FRAME_TOO_LARGE;
    struct bytes frame = {0};
    u8 header[FRAME_HEADER_BYTES];
    frame_encode_length(header, (u32)size);
    bytes_append(&frame, header, sizeof(header)); // one send, so that small frames are one segment
    bytes_append(&frame, payload, size);
    enum frame_result result = write_exactly(socket, deadline, frame.data, frame.size);
    bytes_free(&frame);
    return result;
}
