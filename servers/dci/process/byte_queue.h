// SPDX-License-Identifier: MIT
// A bounded queue of bytes between two threads of the server.
#ifndef DCI_BYTE_QUEUE_H
#define DCI_BYTE_QUEUE_H

#include <orrery/types.h>
#include <user/lock.h>

#define BYTE_QUEUE_BYTES 32768

struct byte_queue {
    struct mutex lock;
    struct condition changed;
    u64 head, tail; // ever put, ever taken
    bool ended;     // no more will be put
    bool closed;    // nothing will be taken any more
    u8 bytes[BYTE_QUEUE_BYTES];
};

// All ready when zeroed. At most count bytes, without waiting.
u64 byte_queue_put(struct byte_queue *queue, const void *bytes, u64 count);
u64 byte_queue_take(struct byte_queue *queue, void *bytes, u64 count);
// Waits for room: false when the queue was closed.
bool byte_queue_put_all(struct byte_queue *queue, const void *bytes, u64 count);
// Waits for bytes: 0 when there will be none any more.
u64 byte_queue_wait(struct byte_queue *queue, void *bytes, u64 count);
void byte_queue_end(struct byte_queue *queue);
void byte_queue_close(struct byte_queue *queue);
// It is empty, and will be for good.
bool byte_queue_over(struct byte_queue *queue);

#endif
