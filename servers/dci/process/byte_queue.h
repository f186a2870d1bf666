// SPDX-License-Identifier: MIT
// A bounded queue of bytes between two threads of the server. Zeroed memory is an empty queue.
#ifndef DCI_BYTE_QUEUE_H
#define DCI_BYTE_QUEUE_H

#include <orrery/types.h>
#include <user/lock.h>

#define BYTE_QUEUE_BYTES 32768

struct byte_queue {
    struct mutex lock;
    struct condition changed;
    u64 head, tail; // bytes put so far, bytes taken so far
    bool ended;     // no more will be put
    bool closed;    // no more will be taken
    u8 bytes[BYTE_QUEUE_BYTES];
};

// Put or take up to count bytes without waiting. They return how many.
u64 byte_queue_put(struct byte_queue *queue, const void *bytes, u64 count);
u64 byte_queue_take(struct byte_queue *queue, void *bytes, u64 count);
// Puts all bytes, and waits for room. Returns false if the queue was closed.
bool byte_queue_put_all(struct byte_queue *queue, const void *bytes, u64 count);
// Takes up to count bytes, and waits for the first. Returns how many, 0 if no more will be put.
u64 byte_queue_wait(struct byte_queue *queue, void *bytes, u64 count);
void byte_queue_end(struct byte_queue *queue);
void byte_queue_close(struct byte_queue *queue);
// Returns true if the queue is empty and no more will be put.
bool byte_queue_over(struct byte_queue *queue);

#endif
