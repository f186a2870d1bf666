// SPDX-License-Identifier: MIT
// A CPU's ring of a monitor. One writes, on that CPU and soft-masked; any number read, anywhere:
// what somebody has taken nobody else gets. A full ring loses the new record, and counts it.
#ifndef KERNEL_MONITORS_RING_H
#define KERNEL_MONITORS_RING_H

#include <orrery/monitors.h>
#include <stdbool.h>

#define RING_PAGE_RECORDS (0x1000 / sizeof(struct sys_monitor_record))

struct monitor_ring {
    struct sys_monitor_position *position; // in memory that processes may see, and only read
    struct sys_monitor_record **pages;     // its records, RING_PAGE_RECORDS in each
    u64 records;                           // that it has room for, a power of two
    u32 running;                           // else nothing fires; changed by any CPU
    u32 just_lost;                         // since the last record; the writer's
};

// Writes it, with its time and what was lost before it. By the writer.
void monitor_ring_append(struct monitor_ring *ring, const struct sys_monitor_record *record);
// Copies the oldest records, at most so many, and leaves them there. Returns how many; *first is
// the first one's number.
u64 monitor_ring_peek(const struct monitor_ring *ring, struct sys_monitor_record *to, u64 most,
                      u64 *first);
// Takes so many records from number first on: false, and nothing was done, when somebody else has
// taken some since.
bool monitor_ring_take(struct monitor_ring *ring, u64 first, u64 count);
// The number of the oldest record, and how many there are from it on.
u64 monitor_ring_first(const struct monitor_ring *ring, u64 *unread);
// Its counts, exact at one moment.
void monitor_ring_stat(const struct monitor_ring *ring, struct sys_monitor_stat *stat);

#endif
