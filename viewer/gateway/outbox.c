// SPDX-License-Identifier: MIT
// What waits for one browser.
#include "gateway/outbox.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

void outbox_init(struct outbox *outbox)
{
    *outbox = (struct outbox){.credit = CREDIT_BYTES};
    outbox->last = &outbox->first;
}

static void forget_blocks(struct watch *watch)
{
    for (u32 i = 0; i < watch->count; i++)
        block_release(watch->blocks[i]);
    watch->count = 0;
}

void outbox_free(struct outbox *outbox)
{
    while (outbox->watch_count > 0)
        outbox_remove_watch(outbox, outbox->watches[outbox->watch_count - 1]);
    for (struct waiting *waiting = outbox->first, *next; waiting != NULL; waiting = next) {
        next = waiting->next;
        block_release(waiting->block);
        free(waiting);
    }
    outbox_init(outbox);
}

bool outbox_tell(struct outbox *outbox, struct block *block)
{
    if (outbox->queued + block->size > QUEUED_BYTES) {
        block_release(block);
        return false;
    }
    struct waiting *waiting = memory_get(sizeof(*waiting));
    waiting->block = block;
    *outbox->last = waiting;
    outbox->last = &waiting->next;
    outbox->queued += block->size;
    return true;
}

void outbox_give(struct outbox *outbox, u64 bytes)
{
    u64 room = CREDIT_BYTES - outbox->credit;
    outbox->credit += bytes < room ? bytes : room;
}

// ---- watches -----------------------------------------------------------------------------------

struct watch *outbox_watch(struct outbox *outbox, u32 id)
{
    for (u32 i = 0; i < outbox->watch_count; i++)
        if (outbox->watches[i]->id == id)
            return outbox->watches[i];
    return NULL;
}

struct watch *outbox_add_watch(struct outbox *outbox, u32 id, struct topic *topic)
{
    if (outbox->watch_count == TOPICS)
        return NULL;
    struct watch *watch = memory_get(sizeof(*watch));
    watch->id = id;
    watch->topic = topic;
    outbox->watches[outbox->watch_count++] = watch;
    return watch;
}

void outbox_remove_watch(struct outbox *outbox, struct watch *watch)
{
    for (u32 i = 0; i < outbox->watch_count; i++)
        if (outbox->watches[i] == watch)
            outbox->watches[i] = outbox->watches[--outbox->watch_count];
    forget_blocks(watch);
    free(watch);
}

// Keeps the block. It replaces all that waits, or comes after it; the oldest may then have to go.
static void keep_block(struct watch *watch, struct block *block)
{
    if (block->whole) {
        forget_blocks(watch);
        watch->leaves_out = false;
    }
    if (watch->count == OUTBOX_STREAM_BLOCKS) {
        block_release(watch->blocks[0]);
        memmove(watch->blocks, watch->blocks + 1, sizeof(watch->blocks) - sizeof(watch->blocks[0]));
        watch->count--;
        watch->left_out++;
        watch->leaves_out = true;
    }
    watch->blocks[watch->count++] = block_keep(block);
}

void outbox_publish(struct outbox *outbox, const struct topic *topic, struct block *block)
{
    for (u32 i = 0; i < outbox->watch_count; i++)
        if (outbox->watches[i]->topic == topic)
            keep_block(outbox->watches[i], block);
}

void outbox_reset_names(struct outbox *outbox, u32 machine)
{
    outbox->named[machine] = 0;
    for (u32 i = 0; i < outbox->watch_count; i++)
        if (outbox->watches[i]->topic->machine == machine)
            forget_blocks(outbox->watches[i]);
}

// ---- sending -----------------------------------------------------------------------------------

// Returns whether the first block may be sent. A whole block that is larger than the credit waits
// for more. All other messages are small.
static bool may_send(const struct outbox *outbox, const struct watch *watch)
{
    return watch->count > 0 &&
           (!watch->blocks[0]->frame || watch->blocks[0]->size <= outbox->credit);
}

// Returns a machine that it watches without having all names of, or HUB_MACHINES.
static u32 unnamed_machine(const struct outbox *outbox)
{
    for (u32 i = 0; i < outbox->watch_count && outbox->names != NULL; i++) {
        u32 machine = outbox->watches[i]->topic->machine;
        if (outbox->named[machine] < outbox->names[machine].count)
            return machine;
    }
    return HUB_MACHINES;
}

bool outbox_ready(const struct outbox *outbox)
{
    if (outbox->first != NULL || unnamed_machine(outbox) < HUB_MACHINES)
        return true;
    for (u32 i = 0; i < outbox->watch_count; i++)
        if (may_send(outbox, outbox->watches[i]))
            return true;
    return false;
}

static struct block *copy_block(const struct block *block, size_t before, size_t more)
{
    struct block *copy = block_new(before + block->size + more, block->frame, block->whole);
    memcpy(copy->data + before, block->data, block->size);
    return copy;
}

// Makes {"type":"state","id":ID,"data":…}.
static struct block *wrap_state(const struct watch *watch, const struct block *block, size_t before)
{
    char head[64];
    int length = snprintf(head, sizeof(head), "{\"type\":\"state\",\"id\":%u,\"data\":", watch->id);
    struct block *copy = copy_block(block, before + (size_t)length, 1);
    memcpy(copy->data + before, head, (size_t)length);
    copy->data[copy->size - 1] = '}';
    return copy;
}

static struct block *take_frame(struct outbox *outbox, struct watch *watch, size_t before)
{
    struct block *block = watch->blocks[0];
    watch->count--;
    memmove(watch->blocks, watch->blocks + 1, watch->count * sizeof(watch->blocks[0]));
    struct block *copy;
    if (block->frame) {
        copy = copy_block(block, before, 0);
        frame_address(copy->data + before, watch->id, watch->sequence++,
                      watch->leaves_out ? FRAME_LEFT_OUT : 0);
        outbox->credit -= block->size;
        watch->leaves_out = false;
    } else {
        copy = wrap_state(watch, block, before);
    }
    block_release(block);
    return copy;
}

static struct block *take_message(struct outbox *outbox, size_t before)
{
    struct waiting *waiting = outbox->first;
    outbox->first = waiting->next;
    if (outbox->first == NULL)
        outbox->last = &outbox->first;
    outbox->queued -= waiting->block->size;
    struct block *copy = copy_block(waiting->block, before, 0);
    block_release(waiting->block);
    free(waiting);
    return copy;
}

struct block *outbox_next(struct outbox *outbox, size_t before)
{
    if (outbox->first != NULL)
        return take_message(outbox, before);
    u32 machine = unnamed_machine(outbox);
    if (machine < HUB_MACHINES)
        return copy_block(outbox->names[machine].blocks[outbox->named[machine]++], before, 0);
    for (u32 i = 0; i < outbox->watch_count; i++) {
        struct watch *watch = outbox->watches[(outbox->turn + i) % outbox->watch_count];
        if (may_send(outbox, watch)) {
            outbox->turn = (outbox->turn + i + 1) % outbox->watch_count;
            return take_frame(outbox, watch, before);
        }
    }
    return NULL;
}
