// SPDX-License-Identifier: MIT
// Queues of blocks, and the spare blocks of all queues.
#include "queue.h"

#include <string.h>

static struct block *spare;
static u32 spare_count;

static const u32 blocks_max[QUEUE_KINDS] = {
    [QUEUE_ANSWERS] = ANSWER_BLOCKS_MAX,
    [QUEUE_PUSHES] = PUSH_BLOCKS_MAX,
    [QUEUE_NEWS] = NEWS_BLOCKS_MAX,
};

static struct block *block_get(void)
{
    struct block *block = spare;

    if (block != NULL) {
        spare = block->next;
        spare_count--;
        return block;
    }
    return queue_memory_alloc(sizeof(*block));
}

static void block_put(struct block *block)
{
    if (spare_count == SPARE_BLOCKS_MAX) {
        queue_memory_free(block);
        return;
    }
    block->next = spare;
    spare = block;
    spare_count++;
}

static void append(struct queue *queue, struct block *block)
{
    block->next = NULL;
    block->begin = block->end = 0;
    if (queue->tail != NULL)
        queue->tail->next = block;
    else
        queue->head = block;
    queue->tail = block;
}

bool queue_prepare(struct queue *queue, enum queue_kind kind)
{
    // A block has frames of one kind only, so that the count of each kind bounds its memory.
    const struct block *tail = queue->tail;
    if (tail != NULL && tail->kind == kind && BLOCK_BYTES - tail->end >= FRAME_BYTES_MAX)
        return true;
    if (queue->blocks[kind] >= blocks_max[kind])
        return false;
    if (queue->tail != NULL && queue->tail->end == 0) {
        queue->blocks[queue->tail->kind]--; // it was prepared, but not used
    } else {
        struct block *block = block_get();
        if (block == NULL)
            return false;
        append(queue, block);
    }
    queue->tail->kind = kind;
    queue->blocks[kind]++;
    return true;
}

u8 *queue_space(struct queue *queue)
{
    return queue->tail->bytes + queue->tail->end;
}

void queue_add(struct queue *queue, u32 bytes)
{
    queue->tail->end += bytes;
    queue->bytes += bytes;
    if (queue->bytes > queue->bytes_max)
        queue->bytes_max = queue->bytes;
}

void queue_append(struct queue *queue, const u8 *frame, u32 bytes)
{
    memcpy(queue_space(queue), frame, bytes);
    queue_add(queue, bytes);
}

static void drop_head(struct queue *queue)
{
    struct block *block = queue->head;

    queue->head = block->next;
    if (queue->head == NULL)
        queue->tail = NULL;
    queue->blocks[block->kind]--;
    block_put(block);
}

u32 queue_front(const struct queue *queue, const u8 **bytes)
{
    const struct block *head = queue->head;

    // The last block is empty if it was only prepared.
    if (head == NULL || head->begin == head->end)
        return 0;
    *bytes = head->bytes + head->begin;
    return head->end - head->begin;
}

void queue_remove(struct queue *queue, u32 bytes)
{
    queue->head->begin += bytes;
    queue->bytes -= bytes;
    if (queue->head->begin == queue->head->end)
        drop_head(queue);
}

void queue_clear(struct queue *queue)
{
    while (queue->head != NULL)
        drop_head(queue);
    queue->bytes = 0;
}
