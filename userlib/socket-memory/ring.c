// SPDX-License-Identifier: MIT
// Copying into and out of a ring: at most two pieces, as the ring wraps.
#include <net/ring.h>

s64 ring_write(struct ring *ring, const void *from, u64 count)
{
    s64 room = ring_room(ring);
    if (room < 0)
        return room;
    u32 total = count < (u64)room ? (u32)count : (u32)room;
    u32 at = ring->own & (ring->capacity - 1);
    u32 first = total < ring->capacity - at ? total : ring->capacity - at;

    memcpy(ring->bytes + at, from, first);
    memcpy(ring->bytes, (const u8 *)from + first, total - first);
    if (total > 0)
        ring_produce(ring, total);
    return total;
}

s64 ring_peek(const struct ring *ring, void *to, u64 count)
{
    s64 used = ring_used(ring);
    if (used < 0)
        return used;
    u32 total = count < (u64)used ? (u32)count : (u32)used;
    u32 at = ring->own & (ring->capacity - 1);
    u32 first = total < ring->capacity - at ? total : ring->capacity - at;

    memcpy(to, ring->bytes + at, first);
    memcpy((u8 *)to + first, ring->bytes, total - first);
    return total;
}
