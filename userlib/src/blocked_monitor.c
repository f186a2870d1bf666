// SPDX-License-Identifier: MIT
// What the monitor asks of a process's BlockedThreadQueues objects: listing them, switching their
// logs, reading the logs.
#include "blocked_threads.h"

// ---- which there are ----------------------------------------------------------------------------

// Returns the oldest object that is younger than the cursor; NULL: none. With blocked_all.
static struct hashed_queues *object_after(u64 cursor)
{
    struct hashed_queues *found = NULL;
    for (struct hashed_queues *queues = blocked_first; queues && queues->number > cursor;
         queues = queues->next)
        found = queues;
    return found;
}

// Adds the queues of a locked bucket.
static void list_bucket(const struct blocked_bucket *bucket, struct sys_blocked_object *object,
                        u64 room)
{
    u32 first = object->queue_count;
    for (const struct blocked_thread *entry = bucket->head; entry; entry = entry->next) {
        u32 i = first;
        while (i < object->queue_count && object->queues[i].queue != (u64)entry->word)
            i++;
        if (i == object->queue_count && i < room)
            object->queues[object->queue_count++] = (struct sys_blocked_queue){
                (u64)entry->word, blocked_queue_length(bucket, entry->word)};
    }
}

static u64 list_object(struct hashed_queues *queues, struct sys_blocked_object *object, u64 bytes)
{
    u64 room = (bytes - sizeof(*object)) / sizeof(object->queues[0]);
    *object = (struct sys_blocked_object){
        .coid = queues->root.coid,
        .buffer_bytes = blocked_log_on(&queues->log) ? queues->log.bytes : 0,
    };
    u32 before = user_disable();
    for (u32 i = 0; i < BLOCKED_BUCKETS; i++) {
        user_spin_lock(&queues->buckets[i].lock);
        list_bucket(&queues->buckets[i], object, room);
        user_spin_unlock(&queues->buckets[i].lock);
    }
    user_enable(before);
    u64 used = sizeof(*object) + object->queue_count * sizeof(object->queues[0]);
    object->record_bytes = (u32)used;
    return used;
}

s64 blocked_threads_list(u64 *cursor, void *buffer, u64 bytes)
{
    struct hashed_queues *queues;
    u64 used = 0;
    mutex_lock(&blocked_all);
    while ((queues = object_after(*cursor)) && bytes - used >= sizeof(struct sys_blocked_object)) {
        used += list_object(queues, (void *)((char *)buffer + used), bytes - used);
        *cursor = queues->number;
    }
    mutex_unlock(&blocked_all);
    return used == 0 && queues ? E_INVAL : (s64)used;
}

// ---- switching ----------------------------------------------------------------------------------

// Logs the threads that wait in a bucket, in the order of its queues, as if they had been enqueued
// now.
static void log_present(struct hashed_queues *queues, const struct blocked_bucket *bucket)
{
    for (const struct blocked_thread *entry = bucket->head; entry; entry = entry->next) {
        struct sys_blocked_record record = {.queue = (u64)entry->word,
                                            .thread = entry->thread->id,
                                            .length = 1,
                                            .operation = SYS_BLOCKED_PRESENT};
        for (const struct blocked_thread *other = bucket->head; other != entry; other = other->next)
            record.length += other->word == entry->word;
        blocked_log_write(&queues->log, &record);
    }
}

static void lock_all(struct hashed_queues *queues)
{
    for (u32 i = 0; i < BLOCKED_BUCKETS; i++)
        user_spin_lock(&queues->buckets[i].lock);
}

static void unlock_all(struct hashed_queues *queues)
{
    for (u32 i = 0; i < BLOCKED_BUCKETS; i++)
        user_spin_unlock(&queues->buckets[i].lock);
}

// Begins a log. All buckets are locked, so no queue changes between the threads that are there and
// the first change in the log.
static s64 begin(struct hashed_queues *queues)
{
    struct sys_blocked_record *memory = blocked_log_memory(BLOCKED_LOG_START);
    if (!memory)
        return E_NOMEM;
    u32 before = user_disable();
    lock_all(queues);
    blocked_log_begin(&queues->log, memory);
    for (u32 i = 0; i < BLOCKED_BUCKETS; i++) {
        queues->buckets[i].log = &queues->log;
        log_present(queues, &queues->buckets[i]);
    }
    unlock_all(queues);
    user_enable(before);
    return 0;
}

static void end(struct hashed_queues *queues)
{
    u32 before = user_disable();
    lock_all(queues);
    for (u32 i = 0; i < BLOCKED_BUCKETS; i++)
        queues->buckets[i].log = NULL;
    unlock_all(queues);
    user_enable(before);
    blocked_log_end(&queues->log);
}

s64 blocked_log_object(struct hashed_queues *queues, bool on)
{
    if (on)
        return begin(queues);
    if (blocked_log_on(&queues->log))
        end(queues);
    return 0;
}

s64 blocked_threads_log(coid_t coid, u64 logging)
{
    s64 count = 0, error = 0;
    if (logging > SYS_BLOCKED_FRESH)
        return E_INVAL;
    mutex_lock(&blocked_all);
    for (struct hashed_queues *queues = blocked_first; queues && error == 0;
         queues = queues->next) {
        if (coid != 0 && queues->root.coid != coid)
            continue;
        count++;
        if (logging == SYS_BLOCKED_ON && blocked_log_on(&queues->log))
            continue;
        blocked_log_object(queues, false);
        if (logging != SYS_BLOCKED_OFF)
            error = blocked_log_object(queues, true);
    }
    if (coid == 0)
        blocked_log_new = logging != SYS_BLOCKED_OFF && error == 0;
    mutex_unlock(&blocked_all);
    return error ? error : count ? count : E_NOENT;
}

// ---- reading ------------------------------------------------------------------------------------

s64 blocked_threads_read(u64 *cursor, void *buffer, u64 bytes)
{
    struct hashed_queues *queues;
    u64 used = 0;
    mutex_lock(&blocked_all);
    while ((queues = object_after(*cursor)) &&
           bytes - used >= sizeof(struct sys_blocked_log) + sizeof(struct sys_blocked_record)) {
        struct sys_blocked_log *head = (void *)((char *)buffer + used);
        u64 room = (bytes - used - sizeof(*head)) / sizeof(struct sys_blocked_record);
        u32 max = room > UINT32_MAX ? UINT32_MAX : (u32)room, count = 0;
        if (blocked_log_on(&queues->log)) {
            head->coid = queues->root.coid;
            count = blocked_log_read(&queues->log, (void *)(head + 1), max, head);
            used += sizeof(*head) + count * sizeof(struct sys_blocked_record);
        }
        if (count == max) // there may be more of it
            break;
        *cursor = queues->number;
    }
    mutex_unlock(&blocked_all);
    return used == 0 && queues ? E_INVAL : (s64)used;
}
