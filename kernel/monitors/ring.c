// SPDX-License-Identifier: MIT
// Rings of records.
#include "ring.h"

#define JUST_LOST_MAX 65535

static struct sys_monitor_record *place(const struct monitor_ring *ring, u64 number)
{
    u64 at = number & (ring->records - 1);

    return &ring->pages[at / RING_PAGE_RECORDS][at % RING_PAGE_RECORDS];
}

void monitor_ring_append(struct monitor_ring *ring, const struct sys_monitor_record *record)
{
    struct sys_monitor_position *position = ring->position;
    u64 number = position->written;

    if (number - __atomic_load_n(&position->taken, __ATOMIC_ACQUIRE) >= ring->records) {
        ring->just_lost++;
        __atomic_store_n(&position->lost, position->lost + 1, __ATOMIC_RELEASE);
        return;
    }
    struct sys_monitor_record *to = place(ring, number);
    *to = *record;
    to->lost = (u16)(ring->just_lost < JUST_LOST_MAX ? ring->just_lost : JUST_LOST_MAX);
    ring->just_lost = 0;
    __atomic_store_n(&position->written, number + 1, __ATOMIC_RELEASE);
}

u64 monitor_ring_first(const struct monitor_ring *ring, u64 *unread)
{
    // In this order: what has been taken had been written.
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

    // Until nothing was written between the looks.
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
