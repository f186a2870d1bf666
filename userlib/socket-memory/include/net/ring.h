// SPDX-License-Identifier: MIT
// A byte ring between two processes: one writes, one reads. They share struct ring_shared and the
// bytes. Each side keeps its own index and the capacity for itself. So whatever the other side
// writes into shared memory can at worst spoil the bytes: an impossible index is found (E_PROTO),
// and nothing outside of the ring is touched.
//
// Indices count bytes for ever, modulo 2^32; the capacity is a power of two. The writer puts the
// bytes, then head; the reader takes the bytes, then tail.
#ifndef NET_RING_H
#define NET_RING_H

#include <orrery/errors.h>
#include <orrery/types.h>
#include <string.h>

// Words that both sides look at. Sequentially consistent: if one side says "I sleep" and the other
// "there is something", at least one of them sees the other's word.
#define shared_load(word) __atomic_load_n(word, __ATOMIC_SEQ_CST)
#define shared_store(word, value) __atomic_store_n(word, value, __ATOMIC_SEQ_CST)

#define RING_LINE 128 // bytes of a cache line: the two sides write to lines of their own

struct ring_shared {
    u32 head; // by the writer
    u8 writer_pad[RING_LINE - sizeof(u32)];
    u32 tail; // by the reader
    u8 reader_pad[RING_LINE - sizeof(u32)];
};
_Static_assert(sizeof(struct ring_shared) == 2 * RING_LINE, "shared between processes");

// One side's own view.
struct ring {
    struct ring_shared *shared;
    u8 *bytes;
    u32 capacity; // power of two
    u32 own;      // the index that this side writes
};

static inline void ring_init(struct ring *ring, struct ring_shared *shared, void *bytes,
                             u32 capacity)
{
    *ring = (struct ring){.shared = shared, .bytes = bytes, .capacity = capacity};
}

// ---- the reader's side -------------------------------------------------------------------------

// Returns how many bytes there are to read, or E_PROTO. Ordered (seq_cst) after the caller's
// earlier seq_cst stores, which makes "say that I sleep, then look once more" safe.
static inline s64 ring_used(const struct ring *ring)
{
    u32 used = shared_load(&ring->shared->head) - ring->own;
    return used <= ring->capacity ? (s64)used : E_PROTO;
}

// Returns where the first piece of what there is lies, and its length in *count: at most
// ring_used() bytes. *count 0: empty (or impossible).
static inline const u8 *ring_front(const struct ring *ring, u32 *count)
{
    s64 used = ring_used(ring);
    u32 at = ring->own & (ring->capacity - 1);
    u32 to_end = ring->capacity - at;

    if (used < 0)
        used = 0;
    *count = (u32)used < to_end ? (u32)used : to_end;
    return ring->bytes + at;
}

// Gives count bytes, at most what ring_front told, back to the writer.
static inline void ring_consume(struct ring *ring, u32 count)
{
    ring->own += count;
    shared_store(&ring->shared->tail, ring->own);
}

// ---- the writer's side -------------------------------------------------------------------------

// Returns how many bytes fit, or E_PROTO. Ordered as ring_used.
static inline s64 ring_room(const struct ring *ring)
{
    u32 used = ring->own - shared_load(&ring->shared->tail);
    return used <= ring->capacity ? (s64)(ring->capacity - used) : E_PROTO;
}

// Publishes count bytes, at most ring_room, that were put behind those there are.
static inline void ring_produce(struct ring *ring, u32 count)
{
    ring->own += count;
    shared_store(&ring->shared->head, ring->own);
}

// ---- copying -----------------------------------------------------------------------------------

// Copies at most count bytes in. Returns how many, or E_PROTO.
s64 ring_write(struct ring *ring, const void *from, u64 count);
// Copies at most count bytes out; they stay there until ring_consume. Returns how many, or E_PROTO.
s64 ring_peek(const struct ring *ring, void *to, u64 count);

#endif
