// SPDX-License-Identifier: MIT
// What waits to be sent to one client: a list of blocks. Frames are built in place at the tail, so
// that a trace packet is copied once, from the kernel's buffer to here.
#ifndef DCI_QUEUE_H
#define DCI_QUEUE_H

#include "bounds.h"

#include <orrery/types.h>

enum queue_kind {
    QUEUE_ANSWERS,
    QUEUE_PUSHES,
    QUEUE_NEWS, // what must be told even if there is no room for more pushes
    QUEUE_KINDS
};

struct block {
    struct block *next;
    enum queue_kind kind;
    u32 begin, end; // the bytes in between wait
    u8 bytes[BLOCK_BYTES] __attribute__((aligned(8)));
};

struct queue {
    struct block *head, *tail;
    u32 blocks[QUEUE_KINDS];
    u64 bytes, bytes_max;
};

// Makes sure that a frame of FRAME_BYTES_MAX can be built at the tail. false when the queue has its
// limit of blocks of this kind, or memory is short.
bool queue_prepare(struct queue *queue, enum queue_kind kind);
// Where the next frame goes, after queue_prepare: FRAME_BYTES_MAX bytes.
u8 *queue_space(struct queue *queue);
void queue_add(struct queue *queue, u32 bytes); // of that space have become a frame
void queue_append(struct queue *queue, const u8 *frame, u32 bytes); // a copy, to that space

// The oldest waiting bytes, 0 when there are none.
u32 queue_front(const struct queue *queue, const u8 **bytes);
void queue_remove(struct queue *queue, u32 bytes); // at most what queue_front said
void queue_clear(struct queue *queue);

// Given by whoever runs the server. Zeroed; NULL when out of memory.
void *queue_memory_alloc(u64 bytes);
void queue_memory_free(void *memory);

#endif
