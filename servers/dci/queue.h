// SPDX-License-Identifier: MIT
// The queue of bytes to be sent to one client: a list of blocks. Frames are built in place at the
// tail, so that a trace packet is copied only once, from the kernel's buffer to here.
#ifndef DCI_QUEUE_H
#define DCI_QUEUE_H

#include "bounds.h"

#include <orrery/types.h>

enum queue_kind {
    QUEUE_ANSWERS,
    QUEUE_PUSHES,
    QUEUE_NEWS, // frames that must not be lost even if there is no room for more pushes
    QUEUE_KINDS
};

struct block {
    struct block *next;
    enum queue_kind kind;
    u32 begin, end; // the bytes between these offsets wait
    u8 bytes[BLOCK_BYTES] __attribute__((aligned(8)));
};

struct queue {
    struct block *head, *tail;
    u32 blocks[QUEUE_KINDS];
    u64 bytes, bytes_max;
};

// Makes sure that a frame of FRAME_BYTES_MAX can be built at the tail. Returns false if the queue
// has its limit of blocks of this kind, or memory is short.
bool queue_prepare(struct queue *queue, enum queue_kind kind);
// Returns the place of the next frame, after queue_prepare: FRAME_BYTES_MAX bytes.
u8 *queue_space(struct queue *queue);
// Adds the first bytes of that place, which are a frame now.
void queue_add(struct queue *queue, u32 bytes);
// Copies a frame to that place and adds it.
void queue_append(struct queue *queue, const u8 *frame, u32 bytes);

// Sets *bytes to the oldest waiting bytes. Returns how many there are, 0 if none wait.
u32 queue_front(const struct queue *queue, const u8 **bytes);
// Removes the oldest bytes, at most as many as queue_front returned.
void queue_remove(struct queue *queue, u32 bytes);
void queue_clear(struct queue *queue);

// Supplied by the program that runs the server. Returns zeroed memory, or NULL if there is none.
void *queue_memory_alloc(u64 bytes);
void queue_memory_free(void *memory);

#endif
