// SPDX-License-Identifier: MIT
// An arena is a list of blocks. Only the newest one has room left.
#include "arena.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 4096

struct arena_block {
    struct arena_block *next;
    u64 used, size;
    u64 memory[];
};

static struct arena_block *block_for(struct arena *arena, u64 bytes)
{
    struct arena_block *block = arena->blocks;

    if (block != NULL && block->size - block->used >= bytes)
        return block;
    u64 size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    block = calloc(1, sizeof(*block) + size);
    if (block == NULL)
        return NULL;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *arena_alloc(struct arena *arena, u64 bytes)
{
    bytes = ALIGN_UP(bytes, 8);
    struct arena_block *block = block_for(arena, bytes);
    if (block == NULL)
        return NULL;
    void *memory = (u8 *)block->memory + block->used;
    block->used += bytes;
    return memory;
}

char *arena_copy(struct arena *arena, const char *text, u64 length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
