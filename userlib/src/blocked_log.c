// SPDX-License-Identifier: MIT
// The log of a BlockedThreadQueues object: ring, growth, exact loss.
#include "blocked_log.h"

#include <string.h>
#include <user/time.h>

#define BATCH 32 // records that are copied with the lock held

static u64 capacity(const struct blocked_log *log)
{
    return log->bytes / sizeof(*log->records);
}

// ---- writing ------------------------------------------------------------------------------------

static void append(struct blocked_log *log, const struct sys_blocked_record *record)
{
    if (log->count == capacity(log)) {
        log->lost++;
        log->gap += log->gap != UINT32_MAX;
        return;
    }
    u64 place = log->first + log->count++;
    place -= place >= capacity(log) ? capacity(log) : 0;
    log->records[place] = *record;
    // With the lock held, so that the records are in order of time.
    log->records[place].time = time_now();
    log->records[place].lost = log->gap;
    log->gap = 0;
    log->logged++;
}

void blocked_log_write(struct blocked_log *log, const struct sys_blocked_record *record)
{
    user_spin_lock(&log->lock);
    append(log, record);
    user_spin_unlock(&log->lock);
}

// ---- begin and end ------------------------------------------------------------------------------

// All of it is touched at the beginning: a page fault would stop the writer's dispatcher with locks
// held.
struct sys_blocked_record *blocked_log_memory(u64 bytes)
{
    void *memory = user_alloc(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void blocked_log_begin(struct blocked_log *log, struct sys_blocked_record *memory)
{
    user_spin_lock(&log->lock);
    log->bytes = BLOCKED_LOG_START;
    log->first = log->count = 0;
    log->logged = log->lost = log->lost_seen = 0;
    log->gap = 0;
    log->records = memory;
    user_spin_unlock(&log->lock);
}

// Exchanges the buffer for `memory` (NULL: none), and keeps the records. Returns the buffer before.
// With the lock held.
static struct sys_blocked_record *exchange(struct blocked_log *log,
                                           struct sys_blocked_record *memory, u64 bytes)
{
    struct sys_blocked_record *before = log->records;
    for (u64 i = 0; memory && i < log->count; i++)
        memory[i] = before[(log->first + i) % capacity(log)];
    log->first = 0;
    log->bytes = bytes;
    log->records = memory;
    return before;
}

void blocked_log_end(struct blocked_log *log)
{
    u32 before = user_disable();
    user_spin_lock(&log->lock);
    u64 bytes = log->bytes;
    struct sys_blocked_record *memory = exchange(log, NULL, 0);
    log->count = 0;
    user_spin_unlock(&log->lock);
    user_enable(before);
    user_free(memory, bytes);
}

// ---- reading ------------------------------------------------------------------------------------

static u32 take_batch(struct blocked_log *log, struct sys_blocked_record *records, u32 max)
{
    u32 count = 0;
    u32 before = user_disable();
    user_spin_lock(&log->lock);
    for (; count < max && log->count; count++, log->count--) {
        records[count] = log->records[log->first];
        log->first = log->first + 1 == capacity(log) ? 0 : log->first + 1;
    }
    user_spin_unlock(&log->lock);
    user_enable(before);
    return count;
}

static u64 larger(u64 bytes, u64 lost)
{
    u64 room = BLOCKED_LOG_MAX - bytes;
    if (lost > room / sizeof(struct sys_blocked_record))
        return BLOCKED_LOG_MAX;
    return bytes + ALIGN_UP(lost * sizeof(struct sys_blocked_record), (u64)BLOCKED_LOG_STEP);
}

// Makes the buffer larger if records were lost. Waits until little is left to be copied, for the
// writers wait meanwhile.
static void grow(struct blocked_log *log, u64 lost)
{
    u64 bytes = larger(log->bytes, lost - log->lost_seen), old_bytes = log->bytes;
    struct sys_blocked_record *memory = NULL;
    if (lost != log->lost_seen && bytes != old_bytes)
        memory = blocked_log_memory(bytes);
    if (!memory)
        return;
    u32 before = user_disable();
    user_spin_lock(&log->lock);
    if (log->count <= BATCH) {
        memory = exchange(log, memory, bytes);
        log->lost_seen = lost;
        bytes = old_bytes;
    }
    user_spin_unlock(&log->lock);
    user_enable(before);
    user_free(memory, bytes);
}

u32 blocked_log_read(struct blocked_log *log, struct sys_blocked_record *records, u32 max,
                     struct sys_blocked_log *head)
{
    u32 count = 0, taken = 1;
    for (; count < max && taken; count += taken)
        taken = take_batch(log, records + count, max - count < BATCH ? max - count : BATCH);
    u32 before = user_disable();
    user_spin_lock(&log->lock);
    head->logged = log->logged;
    head->lost = log->lost;
    user_spin_unlock(&log->lock);
    user_enable(before);
    grow(log, head->lost);
    head->buffer_bytes = (u32)log->bytes;
    head->count = count;
    return count;
}
