// SPDX-License-Identifier: MIT
// A bounded queue of bytes between two threads of the server.
#include "byte_queue.h"

// Puts bytes, with the lock held. Returns how many.
static u64 put(struct byte_queue *queue, const u8 *bytes, u64 count)
{
    u64 done = 0;

    while (done < count && queue->head - queue->tail < BYTE_QUEUE_BYTES)
        queue->bytes[queue->head++ % BYTE_QUEUE_BYTES] = bytes[done++];
    if (done > 0)
        condition_broadcast(&queue->changed);
    return done;
}

// Takes bytes, with the lock held. Returns how many.
static u64 take(struct byte_queue *queue, u8 *bytes, u64 count)
{
    u64 done = 0;

    while (done < count && queue->tail != queue->head)
        bytes[done++] = queue->bytes[queue->tail++ % BYTE_QUEUE_BYTES];
    if (done > 0)
        condition_broadcast(&queue->changed);
    return done;
}

u64 byte_queue_put(struct byte_queue *queue, const void *bytes, u64 count)
{
    mutex_lock(&queue->lock);
    u64 done = put(queue, bytes, count);
    mutex_unlock(&queue->lock);
    return done;
}

u64 byte_queue_take(struct byte_queue *queue, void *bytes, u64 count)
{
    mutex_lock(&queue->lock);
    u64 done = take(queue, bytes, count);
    mutex_unlock(&queue->lock);
    return done;
}

bool byte_queue_put_all(struct byte_queue *queue, const void *bytes, u64 count)
{
    const u8 *from = bytes;
    u64 done = 0;

    mutex_lock(&queue->lock);
    while (done < count && !queue->closed) {
        done += put(queue, from + done, count - done);
        if (done < count && !queue->closed)
            condition_wait(&queue->changed, &queue->lock);
    }
    mutex_unlock(&queue->lock);
    return done == count;
}

u64 byte_queue_wait(struct byte_queue *queue, void *bytes, u64 count)
{
    u64 done;

    mutex_lock(&queue->lock);
    while ((done = take(queue, bytes, count)) == 0 && !queue->ended && !queue->closed)
        condition_wait(&queue->changed, &queue->lock);
    mutex_unlock(&queue->lock);
    return done;
}

static void set(struct byte_queue *queue, bool *flag)
{
    mutex_lock(&queue->lock);
    *flag = true;
    condition_broadcast(&queue->changed);
    mutex_unlock(&queue->lock);
}

void byte_queue_end(struct byte_queue *queue)
{
    set(queue, &queue->ended);
}

void byte_queue_close(struct byte_queue *queue)
{
    set(queue, &queue->closed);
}

bool byte_queue_over(struct byte_queue *queue)
{
    mutex_lock(&queue->lock);
    bool over = queue->ended && queue->head == queue->tail;
    mutex_unlock(&queue->lock);
    return over;
}
