// SPDX-License-Identifier: MIT
// Blocks: encoded once, for every browser.
#include "gateway/blocks.h"
#include "tools/memory.h"

#include <messages.h>
#include <stdlib.h>
#include <string.h>

struct block *block_new(size_t size, bool frame, bool whole)
{
    struct block *block = memory_get(sizeof(*block) + size);
    atomic_init(&block->references, 1);
    block->frame = frame;
    block->whole = whole;
    block->size = size;
    return block;
}

struct block *block_of_json(json_t *json)
{
    size_t size = json_dumpb(json, NULL, 0, JSON_COMPACT);
    struct block *block = block_new(size, false, true);
    json_dumpb(json, (char *)block->data, size, JSON_COMPACT);
    json_decref(json);
    return block;
}

json_t *block_text(const char *text)
{
    size_t length = strnlen(text, TEXT_CHARACTERS);
    json_t *json = json_stringn(text, length);
    while (json == NULL) // cut inside a character, or never valid
        json = json_stringn(text, --length);
    return json;
}

struct block *block_keep(struct block *block)
{
    atomic_fetch_add_explicit(&block->references, 1, memory_order_relaxed);
    return block;
}

void block_release(struct block *block)
{
    if (block != NULL &&
        atomic_fetch_sub_explicit(&block->references, 1, memory_order_acq_rel) == 1)
        free(block);
}
