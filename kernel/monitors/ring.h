// SPDX-License-Identifier: MIT
// A CPU's ring of a monitor. One writes, on that CPU and soft-masked; any number read, anywhere:
// what somebody has taken nobody else gets. A full ring loses the new record, and counts it.
#ifndef KERNEL_MONITORS_RING_H
#define KERNEL_MONITORS_RING_H

#include <orrery/monitors.h>
#include <stdbool.h>
#include <stddef.h>

#define RING_PAGE_RECORDS (0x1000 / sizeof(struct sys_monitor_record))

// The writer goes on at next and asks no question before stop: up to there is room, in one page,
// nothing was lost, and it runs. ipc/fast_path.S writes, too, and takes two doublewords at a time.
struct monitor_ring {
    struct sys_monitor_record *next; // the writer's, as what follows
    u64 written;                     // as position->written
    struct sys_monitor_record *stop;
    struct sys_monitor_position *position; // in memory that processes may see, and only read
    struct sys_monitor_record **pages;     // its records, RING_PAGE_RECORDS in each
    u64 records;                           // that it has room for, a power of two
    u32 running;                           // else nothing fires; changed by any CPU
    u32 just_lost;                         // since the last record
    // Not NULL: no ring, but what comes before the rings behind it (library.c): never any room.
    void (*instead)(struct monitor_ring *ring, u64 time);
    const volatile u64 *pending; // with it: 0 where the fast path of calls need not do it
} __attribute__((aligned(16)));

// What stands behind the id in a record, in one word. Host tests have the other byte order.
static inline u32 monitor_what(u8 kind, u8 reason, u16 lost)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        return (u32)kind << 24 | (u32)reason << 16 | lost;
    return kind | (u32)reason << 8 | (u32)lost << 16;
}

// As monitor_ring_append where next is stop: looks for room, and counts a loss. By the writer.
void monitor_ring_append_slowly(struct monitor_ring *ring, u32 id, u32 what, u64 time, u64 word0,
                                u64 word1);
// It writes nothing any more when it does not run. By the writer.
void monitor_ring_halt(struct monitor_ring *ring);
// Empties one that nobody reads and that does not run. By the writer.
void monitor_ring_reset(struct monitor_ring *ring);
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

// When the last record was, 0: there was none. By the writer.
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

// Writes a record, if it runs, or counts it as lost. what: monitor_what, none lost. By the writer.
static inline void monitor_ring_append(struct monitor_ring *ring, u32 id, u32 what, u64 time,
                                       u64 word0, u64 word1)
{
    if (__builtin_expect(ring->next != ring->stop, true))
        monitor_ring_put(ring, id, what, time, word0, word1);
    else if (ring->running)
        monitor_ring_append_slowly(ring, id, what, time, word0, word1);
}

#endif
