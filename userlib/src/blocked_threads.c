// SPDX-License-Identifier: MIT
// The one implementation of BlockedThreadQueues: a hash of queues, each with a spin lock.
#include "blocked_threads.h"

#include "check.h"

#define BUCKETS 64

struct bucket {
    struct user_spin lock;
    struct blocked_thread *head, *tail;
} __attribute__((aligned(128)));

struct hashed_queues {
    struct co_root root;
    struct blocked_thread_queues queues;
    struct bucket buckets[BUCKETS];
};

static struct hashed_queues the_queues;
static coid_t the_object;

static struct hashed_queues *hashed(struct blocked_thread_queues *self)
{
    return (struct hashed_queues *)((char *)self - offsetof(struct hashed_queues, queues));
}

static struct bucket *bucket_of(struct hashed_queues *queues, const u64 *word)
{
    u64 hash = (u64)word >> 3;
    hash ^= hash >> 6 ^ hash >> 12;
    return &queues->buckets[hash % BUCKETS];
}

static void unlink_entry(struct bucket *bucket, struct blocked_thread *entry)
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

CO_METHOD static s64 enqueue(struct blocked_thread_queues *self, struct blocked_thread *entry,
                             u64 expected)
{
    CO_HOME(self);
    struct bucket *bucket = bucket_of(hashed(self), entry->word);
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
    }
    user_spin_unlock(&bucket->lock);
    return still ? 0 : E_AGAIN;
}

CO_METHOD static s64 dequeue(struct blocked_thread_queues *self, struct blocked_thread *entry)
{
    CO_HOME(self);
    struct bucket *bucket = bucket_of(hashed(self), entry->word);
    user_spin_lock(&bucket->lock);
    bool queued = entry->queued;
    if (queued)
        unlink_entry(bucket, entry);
    user_spin_unlock(&bucket->lock);
    return queued;
}

// The thread is woken with the bucket locked: before it has had the lock in dequeue it does not go on, so that entry and
// thread stay.
CO_METHOD static s64 wakeup(struct blocked_thread_queues *self, const u64 *word, u64 max)
{
    CO_HOME(self);
    struct bucket *bucket = bucket_of(hashed(self), word);
    u64 woken = 0;
    user_spin_lock(&bucket->lock);
    for (struct blocked_thread *entry = bucket->head, *next; entry && woken < max; entry = next) {
        next = entry->next;
        if (entry->word != word)
            continue;
        unlink_entry(bucket, entry);
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

static struct co_class hashed_class = {
    .name = "BlockedThreadQueues",
    .implementation = "HashedBlockedThreadQueues",
    .size = sizeof(struct hashed_queues),
    .ops = &hashed_ops.base,
};

static s64 create(void)
{
    s64 coid = co_create_shared(&hashed_class, &the_queues.root, &the_queues.queues.co);
    if (coid < 0)
        return coid;
    the_object = (coid_t)coid;
    return 0;
}
USER_INIT(3, create);

// ---- waiting and waking --------------------------------------------------------------------------

s64 blocked_threads_wait(const u64 *word, u64 expected, u64 deadline)
{
    u32 before = user_disable();
    struct blocked_thread entry = {.word = word, .thread = thread_current()};
    s64 result = CO_CALL(struct blocked_thread_queues, the_object, enqueue, &entry, expected);
    while (result == 0) {
        u32 taken = scheduler_block_until(WAKE_LIBRARY, deadline);
        if (taken && __atomic_load_n(&entry.queued, __ATOMIC_RELAXED))
            continue; // for something else
        s64 late = CO_CALL(struct blocked_thread_queues, the_object, dequeue, &entry);
        result = late ? E_TIMEOUT : 0;
        break;
    }
    user_enable(before);
    return result;
}

void blocked_threads_wake(const u64 *word, u64 max)
{
    u32 before = user_disable();
    CO_CALL(struct blocked_thread_queues, the_object, wakeup, word, max);
    user_enable(before);
}
