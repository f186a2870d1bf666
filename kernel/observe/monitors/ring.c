// SPDX-License-Identifier: MIT
// Rings of records.
#include "ring.h"

#define JUST_LOST_MAX 65535

static struct sys_monitor_record *place(const struct monitor_ring *ring, u64 number)
{
    u64 at = number & (ring->records - 1);

    return &ring->pages[at / RING_PAGE_RECORDS][at % RING_PAGE_RECORDS];
}

// Returns the place up to which records fit from next on without a check, with this many unread.
static struct sys_monitor_record *stop_of(const struct monitor_ring *ring, u64 unread)
{
    u64 room = ring->records - unread;
    u64 page = RING_PAGE_RECORDS - ring->written % RING_PAGE_RECORDS;

    return ring->next + (room < page ? room : page);
}

void monitor_ring_append_slowly(struct monitor_ring *ring, u32 id, u32 what, u64 time, u64 word0,
                                u64 word1)
{
    struct sys_monitor_position *position = ring->position;

    if (ring->instead != NULL) {
        ring->instead(ring, time);
        return;
    }
    u64 unread = ring->written - __atomic_load_n(&position->taken, __ATOMIC_ACQUIRE);

    if (unread >= ring->records) {
        ring->just_lost++;
        __atomic_store_n(&position->lost, position->lost + 1, __ATOMIC_RELEASE);
        return;
    }
    ring->next = place(ring, ring->written);
    ring->stop = stop_of(ring, unread);
    u32 lost = ring->just_lost < JUST_LOST_MAX ? ring->just_lost : JUST_LOST_MAX;
    ring->just_lost = 0;
    monitor_ring_put(ring, id, what | monitor_what(0, 0, (u16)lost), time, word0, word1);
}

void monitor_ring_halt(struct monitor_ring *ring)
{
    ring->stop = ring->next;
}

void monitor_ring_reset(struct monitor_ring *ring)
{
    monitor_ring_halt(ring);
    ring->written = 0;
    ring->position->written = 0;
}

u64 monitor_ring_first(const struct monitor_ring *ring, u64 *unread)
{
    // Loads in this order: records that were taken had been written.
    u64 first = __atomic_load_n(&ring->position->taken, __ATOMIC_ACQUIRE);

    *unread = __atomic_load_n(&ring->position->written, __ATOMIC_ACQUIRE) - first;
    return first;
}

u64 monitor_ring_peek(const struct monitor_ring *ring, struct sys_monitor_record *to, u64 most,
                      u64 *first)
{
    u64 unread;

    *first = monitor_ring_first(ring, &unread);
    u64 count = unread < most ? unread : most;
    for (u64 i = 0; i < count; i++)
        to[i] = *place(ring, *first + i);
    return count;
}

bool monitor_ring_take(struct monitor_ring *ring, u64 first, u64 count)
{
    return __atomic_compare_exchange_n(&ring->position->taken, &first, first + count, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void monitor_ring_stat(const struct monitor_ring *ring, struct sys_monitor_stat *stat)
{
    const struct sys_monitor_position *position = ring->position;
    u64 written, taken;

    // Repeats until nothing was written between the reads.
    do {
        written = __atomic_load_n(&position->written, __ATOMIC_ACQUIRE);
        stat->lost = __atomic_load_n(&position->lost, __ATOMIC_ACQUIRE);
        taken = __atomic_load_n(&position->taken, __ATOMIC_ACQUIRE);
    } while (written != __atomic_load_n(&position->written, __ATOMIC_ACQUIRE));
    stat->unread = written - taken;
    stat->fired = written + stat->lost;
    stat->bytes = ring->records * sizeof(struct sys_monitor_record);
    stat->running = ring->running;
}
