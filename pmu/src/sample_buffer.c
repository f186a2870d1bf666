// SPDX-License-Identifier: MIT
// Sample buffer: set-up, growth and the reader's side. The writer's side is inline in the header.
#include <orrery/errors.h>
#include <pmu/platform.h>
#include <pmu/sample_buffer.h>

static struct sample_ring *ring_create(u64 bytes, u64 record_bytes)
{
    struct sample_ring *ring = pmu_platform_alloc(bytes);
    if (ring == NULL)
        return NULL;
    u64 records = (bytes - sizeof(*ring)) / record_bytes;
    *ring = (struct sample_ring){
        .bytes = bytes,
        .record_bytes = record_bytes,
        .first = sizeof(*ring),
        .end = sizeof(*ring) + records * record_bytes,
        .head = sizeof(*ring),
        .tail = sizeof(*ring),
    };
    return ring;
}

static u64 ring_next(const struct sample_ring *ring, u64 place)
{
    u64 next = place + ring->record_bytes;
    return next == ring->end ? ring->first : next;
}

s64 sample_buffer_init(struct sample_buffer *buffer, u32 callers)
{
    u64 record_bytes = sizeof(struct sys_sample) + callers * sizeof(u64);
    u64 bytes = ALIGN_UP(SAMPLE_BUFFER_START * record_bytes / sizeof(struct sys_sample),
                         (u64)SAMPLE_BUFFER_STEP);
    struct sample_ring *ring = ring_create(bytes, record_bytes);
    if (ring == NULL)
        return E_NOMEM;
    *buffer = (struct sample_buffer){
        .writing = ring,
        .reading = ring,
        .bytes = bytes,
    };
    return 0;
}

void sample_buffer_free(struct sample_buffer *buffer)
{
    if (buffer->reading != buffer->writing)
        pmu_platform_free(buffer->reading);
    pmu_platform_free(buffer->offered);
    pmu_platform_free(buffer->writing);
    *buffer = (struct sample_buffer){0};
}

static void adopt_offered(struct sample_buffer *buffer)
{
    struct sample_ring *ring = __atomic_load_n(&buffer->offered, __ATOMIC_ACQUIRE);
    if (ring == NULL)
        return;
    __atomic_store_n(&buffer->writing, ring, __ATOMIC_RELEASE);
    __atomic_store_n(&buffer->offered, NULL, __ATOMIC_RELEASE);
}

bool sample_buffer_begin(struct sample_buffer *buffer, struct sample_slot *slot)
{
    adopt_offered(buffer);
    return sample_buffer_quick(buffer, slot);
}

static bool ring_empty(const struct sample_ring *ring)
{
    return __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) == ring->tail;
}

// The writer never returns to a ring that it has left. So a ring that is empty after the writer was
// seen to have left it stays empty.
static bool move_to_next_ring(struct sample_buffer *buffer)
{
    struct sample_ring *next = __atomic_load_n(&buffer->writing, __ATOMIC_ACQUIRE);
    if (next == buffer->reading || !ring_empty(buffer->reading))
        return false;
    pmu_platform_free(buffer->reading);
    buffer->reading = next;
    return true;
}

const struct sys_sample *sample_buffer_peek(struct sample_buffer *buffer)
{
    while (ring_empty(buffer->reading)) {
        if (!move_to_next_ring(buffer) && ring_empty(buffer->reading))
            return NULL;
    }
    return (const struct sys_sample *)((char *)buffer->reading + buffer->reading->tail);
}

void sample_buffer_drop(struct sample_buffer *buffer)
{
    struct sample_ring *ring = buffer->reading;
    __atomic_store_n(&ring->tail, ring_next(ring, ring->tail), __ATOMIC_RELEASE);
}

static u64 larger(const struct sample_ring *ring, u64 lost)
{
    u64 room = SAMPLE_BUFFER_MAX - ring->bytes;
    if (lost > room / ring->record_bytes)
        return SAMPLE_BUFFER_MAX;
    u64 bytes = ring->bytes + ALIGN_UP(lost * ring->record_bytes, (u64)SAMPLE_BUFFER_STEP);
    return bytes < SAMPLE_BUFFER_MAX ? bytes : SAMPLE_BUFFER_MAX;
}

// Offers a ring that holds this many more samples than the one in use. Returns false if it cannot
// now.
static bool offer_larger(struct sample_buffer *buffer, u64 samples)
{
    if (__atomic_load_n(&buffer->offered, __ATOMIC_ACQUIRE) != NULL)
        return false;
    // No ring is on offer, so the writer stays with this one until the next is.
    const struct sample_ring *ring = __atomic_load_n(&buffer->writing, __ATOMIC_ACQUIRE);
    if (ring->bytes == SAMPLE_BUFFER_MAX || buffer->reading != ring)
        return false;
    u64 bytes = larger(ring, samples);
    struct sample_ring *next = ring_create(bytes, ring->record_bytes);
    if (next == NULL)
        return false;
    buffer->grown += (bytes - ring->bytes) / SAMPLE_BUFFER_STEP;
    buffer->bytes = bytes;
    __atomic_store_n(&buffer->offered, next, __ATOMIC_RELEASE);
    return true;
}

void sample_buffer_grow(struct sample_buffer *buffer)
{
    u64 lost = __atomic_load_n(&buffer->lost, __ATOMIC_RELAXED);
    if (lost != buffer->lost_seen && offer_larger(buffer, lost - buffer->lost_seen))
        buffer->lost_seen = lost;
}

static u64 room_of(const struct sample_ring *ring)
{
    u64 used = ring->head >= ring->tail ? ring->head - ring->tail
                                        : ring->head + (ring->end - ring->first) - ring->tail;
    return (ring->end - ring->first - used) / ring->record_bytes - 1;
}

void sample_buffer_reserve(struct sample_buffer *buffer, u64 samples)
{
    if (room_of(buffer->writing) < samples && offer_larger(buffer, samples))
        adopt_offered(buffer);
}
