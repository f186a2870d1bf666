// SPDX-License-Identifier: MIT
// A CPU's ring of a monitor. One writer, on that CPU and soft-masked; any number of readers,
// anywhere. Each record is taken by one reader only. A full ring loses the new record, and counts
// it.
#ifndef KERNEL_MONITORS_RING_H
#define KERNEL_MONITORS_RING_H

#include <orrery/monitors.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_PAGE_RECORDS (0x1000 / sizeof(struct sys_monitor_record))

// The writer continues at next and checks nothing before stop: up to there is room, in one page,
// nothing was lost, and the ring runs. ipc/fast_path.S writes too, and loads two doublewords at a
// time.
struct monitor_ring {
    struct sys_monitor_record *next; // this and the following are the writer's
    u64 written;                     // as position->written
    struct sys_monitor_record *stop;
    struct sys_monitor_position *position; // in memory that processes may see, read-only
    struct sys_monitor_record **pages;     // its records, RING_PAGE_RECORDS in each
    u64 records;                           // that it has room for, a power of two
    u32 running;                           // else nothing is recorded; any CPU changes it
    u32 just_lost;                         // since the last record
    // Not NULL: not a ring, but a step before the rings behind it (library.c), which never has
    // room.
    void (*instead)(struct monitor_ring *ring, u64 time);
    const volatile u64 *pending; // for instead: 0 where the fast path of calls may skip it
} __attribute__((aligned(16)));

// Returns what follows the id in a record, as one word. Host tests have the other byte order.
static inline u32 monitor_what(u8 kind, u8 reason, u16 lost)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        return (u32)kind << 24 | (u32)reason << 16 | lost;
    return kind | (u32)reason << 8 | (u32)lost << 16;
}

// Does as monitor_ring_append where next is stop: checks for room, and counts a loss. By the
// writer.
void monitor_ring_append_slowly(struct monitor_ring *ring, u32 id, u32 what, u64 time, u64 word0,
                                u64 word1);
// Makes the writer check before its next record: a ring that does not run then gets none. By the
// writer.
void monitor_ring_halt(struct monitor_ring *ring);
// Empties a ring that nobody reads and that does not run. By the writer.
void monitor_ring_reset(struct monitor_ring *ring);
// Copies at most this many of the oldest records, and leaves them there. Returns how many, and the
// number of the first in *first.
u64 monitor_ring_peek(const struct monitor_ring *ring, struct sys_monitor_record *to, u64 most,
                      u64 *first);
// Takes count records from number first on. Returns false, with nothing done, if somebody else has
// taken some since.
bool monitor_ring_take(struct monitor_ring *ring, u64 first, u64 count);
// Returns the number of the oldest record, and in *unread how many there are.
u64 monitor_ring_first(const struct monitor_ring *ring, u64 *unread);
// Gets its counts, exact at one moment.
void monitor_ring_stat(const struct monitor_ring *ring, struct sys_monitor_stat *stat);

// Returns the time of the last record, 0: there was none. By the writer.
static inline u64 monitor_ring_last(const struct monitor_ring *ring)
{
    return ring->written != 0 ? ring->next[-1].time : 0;
}

static inline void monitor_ring_put(struct monitor_ring *ring, u32 id, u32 what, u64 time,
                                    u64 word0, u64 word1)
{
    struct sys_monitor_record *to = ring->next;

    _Static_assert(offsetof(struct sys_monitor_record, lost) + 2 ==
                       offsetof(struct sys_monitor_record, kind) + sizeof(what),
                   "monitor_what");
    to->time = time;
    to->id = id;
    __builtin_memcpy(&to->kind, &what, sizeof(what));
    to->word[0] = word0;
    to->word[1] = word1;
    ring->next = to + 1;
    ring->written++;
    __atomic_store_n(&ring->position->written, ring->written, __ATOMIC_RELEASE);
}

// Writes a record, or counts it as lost, if the ring runs. what: monitor_what, none lost. By the
// writer.
static inline void monitor_ring_append(struct monitor_ring *ring, u32 id, u32 what, u64 time,
                                       u64 word0, u64 word1)
{
    if (__builtin_expect(ring->next != ring->stop, true))
        monitor_ring_put(ring, id, what, time, word0, word1);
    else if (ring->running)
        monitor_ring_append_slowly(ring, id, what, time, word0, word1);
}

#endif
