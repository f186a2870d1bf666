// SPDX-License-Identifier: MIT
// The one implementation of BlockedThreadQueues: a hash of queues, each with a spin lock.
#include "blocked_threads.h"

#include "check.h"

#include <string.h>

// With the bytes that it takes to align it.
#define QUEUES_BYTES (sizeof(struct hashed_queues) + _Alignof(struct hashed_queues))

static struct hashed_queues the_queues __attribute__((section(".bss.large")));
static coid_t the_object;

struct mutex blocked_all;
struct hashed_queues *blocked_first;
bool blocked_log_new;

static struct hashed_queues *hashed(struct blocked_thread_queues *self)
{
    return container_of(self, struct hashed_queues, queues);
}

static struct blocked_bucket *bucket_of(struct hashed_queues *queues, const u64 *word)
{
    u64 hash = (u64)word >> 3;
    hash ^= hash >> 6 ^ hash >> 12;
    return &queues->buckets[hash % BLOCKED_BUCKETS];
}

// ---- logging ------------------------------------------------------------------------------------

u32 blocked_queue_length(const struct blocked_bucket *bucket, const u64 *word)
{
    u32 length = 0;
    for (const struct blocked_thread *entry = bucket->head; entry; entry = entry->next)
        length += entry->word == word;
    return length;
}

static __attribute__((noinline, cold)) void
log_change(const struct blocked_bucket *bucket, const struct blocked_thread *entry, u32 operation)
{
    struct sys_blocked_record record = {.queue = (u64)entry->word,
                                        .thread = entry->thread->id,
                                        .length = blocked_queue_length(bucket, entry->word),
                                        .operation = operation};
    blocked_log_write(bucket->log, &record);
}

// To be called after each change of a queue, with its bucket locked, so that a queue's records are
// in order.
static inline void changed(const struct blocked_bucket *bucket, const struct blocked_thread *entry,
                           u32 operation)
{
#ifndef BLOCKED_THREADS_WITHOUT_HOOK // to measure what the test costs
    if (__builtin_expect(bucket->log != NULL, 0))
        log_change(bucket, entry, operation);
#else
    (void)bucket, (void)entry, (void)operation, (void)log_change;
#endif
}

// ---- the object ---------------------------------------------------------------------------------

static void unlink_entry(struct blocked_bucket *bucket, struct blocked_thread *entry)
{
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        bucket->head = entry->next;
    if (entry->next)
        entry->next->previous = entry->previous;
    else
        bucket->tail = entry->previous;
    entry->queued = false;
}

static CO_METHOD s64 enqueue(struct blocked_thread_queues *self, struct blocked_thread *entry,
                             u64 expected)
{
    CO_HOME(self);
    struct blocked_bucket *bucket = bucket_of(hashed(self), entry->word);
    user_spin_lock(&bucket->lock);
    bool still = __atomic_load_n(entry->word, __ATOMIC_RELAXED) == expected;
    if (still) {
        entry->next = NULL;
        entry->previous = bucket->tail;
        if (bucket->tail)
            bucket->tail->next = entry;
        else
            bucket->head = entry;
        bucket->tail = entry;
        entry->queued = true;
        changed(bucket, entry, SYS_BLOCKED_ENQUEUE);
    }
    user_spin_unlock(&bucket->lock);
    return still ? 0 : E_AGAIN;
}

static CO_METHOD s64 dequeue(struct blocked_thread_queues *self, struct blocked_thread *entry)
{
    CO_HOME(self);
    struct blocked_bucket *bucket = bucket_of(hashed(self), entry->word);
    user_spin_lock(&bucket->lock);
    bool queued = entry->queued;
    if (queued) {
        unlink_entry(bucket, entry);
        changed(bucket, entry, SYS_BLOCKED_DEQUEUE);
    }
    user_spin_unlock(&bucket->lock);
    return queued;
}

// Wakes threads with the bucket locked. A thread does not go on before it has had the lock in
// dequeue, so entry and thread stay.
static CO_METHOD s64 wakeup(struct blocked_thread_queues *self, const u64 *word, u64 max)
{
    CO_HOME(self);
    struct blocked_bucket *bucket = bucket_of(hashed(self), word);
    u64 woken = 0;
    user_spin_lock(&bucket->lock);
    for (struct blocked_thread *entry = bucket->head, *next; entry && woken < max; entry = next) {
        next = entry->next;
        if (entry->word != word)
            continue;
        unlink_entry(bucket, entry);
        changed(bucket, entry, SYS_BLOCKED_WAKEUP);
        scheduler_wake(entry->thread, WAKE_LIBRARY);
        woken++;
    }
    user_spin_unlock(&bucket->lock);
    return (s64)woken;
}

static const struct blocked_thread_queues_ops hashed_ops = {
    .base = CO_LEAF,
    .enqueue = enqueue,
    .dequeue = dequeue,
    .wakeup = wakeup,
};

static void free_queues(struct co_root *root)
{
    struct hashed_queues *queues = container_of(root, struct hashed_queues, root);
    user_free(queues->memory, QUEUES_BYTES);
}

static struct co_class hashed_class = {
    .name = "BlockedThreadQueues",
    .implementation = "HashedBlockedThreadQueues",
    .size = sizeof(struct hashed_queues),
    .ops = &hashed_ops.base,
    .destroy = free_queues,
};

// ---- creating and destroying --------------------------------------------------------------------

// With blocked_all, or nobody else there yet.
static s64 create(struct hashed_queues *queues)
{
    static u64 last_number;
    s64 coid = co_create_shared(&hashed_class, &queues->root, &queues->queues.co);
    if (coid < 0)
        return coid;
    queues->number = ++last_number;
    queues->next = blocked_first;
    blocked_first = queues;
    return coid;
}

static s64 create_first(void)
{
    s64 coid = create(&the_queues);
    if (coid < 0)
        return coid;
    the_object = (coid_t)coid;
    return 0;
}
USER_INIT(3, create_first);

s64 blocked_threads_create(void)
{
    void *memory = user_alloc(QUEUES_BYTES);
    if (!memory)
        return E_NOMEM;
    memset(memory, 0, QUEUES_BYTES);
    struct hashed_queues *queues =
        (struct hashed_queues *)ALIGN_UP((u64)memory, (u64) _Alignof(struct hashed_queues));
    queues->memory = memory;
    mutex_lock(&blocked_all);
    s64 coid = create(queues);
    if (coid >= 0 && blocked_log_new)
        blocked_log_object(queues, true); // without memory it is not logged
    mutex_unlock(&blocked_all);
    if (coid < 0)
        user_free(memory, QUEUES_BYTES);
    return coid;
}

static bool empty(struct hashed_queues *queues)
{
    bool none = true;
    u32 before = user_disable();
    for (u32 i = 0; i < BLOCKED_BUCKETS; i++) {
        user_spin_lock(&queues->buckets[i].lock);
        none &= !queues->buckets[i].head;
        user_spin_unlock(&queues->buckets[i].lock);
    }
    user_enable(before);
    return none;
}

static s64 destroy(coid_t coid)
{
    struct hashed_queues **link = &blocked_first;
    while (*link && (*link)->root.coid != coid)
        link = &(*link)->next;
    struct hashed_queues *queues = *link;
    if (!queues || !queues->memory)
        return E_NOENT;
    if (!empty(queues))
        return E_BUSY;
    *link = queues->next;
    blocked_log_object(queues, false);
    return co_destroy(coid);
}

s64 blocked_threads_destroy(coid_t queues)
{
    mutex_lock(&blocked_all);
    s64 error = destroy(queues);
    mutex_unlock(&blocked_all);
    return error;
}

// ---- waiting and waking -------------------------------------------------------------------------

static inline __attribute__((always_inline)) s64 wait_in(coid_t object, const u64 *word,
                                                         u64 expected, u64 deadline)
{
    u32 before = user_disable();
    struct blocked_thread entry = {.word = word, .thread = thread_current()};
    s64 result = CO_CALL(struct blocked_thread_queues, object, enqueue, &entry, expected);
    while (result == 0) {
        u32 taken = scheduler_block_until(WAKE_LIBRARY, deadline);
        if (taken && __atomic_load_n(&entry.queued, __ATOMIC_RELAXED))
            continue; // for something else
        s64 late = CO_CALL(struct blocked_thread_queues, object, dequeue, &entry);
        result = late ? E_TIMEOUT : 0;
        break;
    }
    user_enable(before);
    return result;
}

static inline __attribute__((always_inline)) s64 wake_in(coid_t object, const u64 *word, u64 max)
{
    u32 before = user_disable();
    s64 woken = CO_CALL(struct blocked_thread_queues, object, wakeup, word, max);
    user_enable(before);
    return woken;
}

s64 blocked_threads_wait_in(coid_t queues, const u64 *word, u64 expected, u64 deadline)
{
    return wait_in(queues ? queues : the_object, word, expected, deadline);
}

s64 blocked_threads_wake_in(coid_t queues, const u64 *word, u64 max)
{
    return wake_in(queues ? queues : the_object, word, max);
}

s64 blocked_threads_wait(const u64 *word, u64 expected, u64 deadline)
{
    return wait_in(the_object, word, expected, deadline);
}

void blocked_threads_wake(const u64 *word, u64 max)
{
    wake_in(the_object, word, max);
}
