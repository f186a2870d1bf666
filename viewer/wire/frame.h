// SPDX-License-Identifier: MIT
// Frames on a connection: 4 bytes of length, big endian, then that many bytes. Each call has a
// deadline.
#ifndef KOV_FRAME_H
#define KOV_FRAME_H

#include "tools/memory.h"

#define FRAME_HEADER_BYTES 4
#define FRAME_MAX_BYTES (1u << 20) // of the payload

enum frame_result {
    FRAME_OK,
    FRAME_CLOSED,    // the other side ended the connection between two frames
    FRAME_TRUNCATED, // … inside a frame
    FRAME_TOO_LARGE, // its length is more than FRAME_MAX_BYTES
    FRAME_TIMEOUT,
    FRAME_WOKEN, // by one of the other descriptors of frame_socket
    FRAME_ERROR, // see errno
};

// A connection, and two descriptors that end a wait for it when they become readable. -1: none.
struct frame_socket {
    int fd;   // non-blocking
    int over; // ends every wait
    int wake; // ends a wait for a frame
};

// Waits until the socket is readable or writable (poll events), or until the deadline. Signals do
// not end the wait.
enum frame_result frame_wait(const struct frame_socket *socket, short events, double deadline);

// A frame of which a part has come.
struct frame_input {
    u8 header[FRAME_HEADER_BYTES];
    size_t done;          // bytes of the frame that have come
    struct bytes payload; // whole once frame_read has returned FRAME_OK
};

// Takes the next frame. After FRAME_TIMEOUT or FRAME_WOKEN, `input` keeps the part that has come
// for the next call.
enum frame_result frame_read(const struct frame_socket *socket, double deadline,
                             struct frame_input *input);
enum frame_result frame_write(const struct frame_socket *socket, double deadline, const u8 *payload,
                              size_t size);

void frame_encode_length(u8 header[FRAME_HEADER_BYTES], u32 length);
u32 frame_decode_length(const u8 header[FRAME_HEADER_BYTES]);

#endif
