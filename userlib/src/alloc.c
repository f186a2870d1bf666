// SPDX-License-Identifier: MIT
// Memory for the library itself, where malloc and its lock may not be used. Powers of two come from
// lists of free pieces, larger blocks are regions.
#include "heap_counted.h"
#include "scheduler.h"

#include <orrery/memory.h>
#include <string.h>

#define PAGE 4096
#define SMALLEST 5 // 32 bytes
#define LARGEST 15 // 32 KB
#define CHUNK 0x40000
#define FIRST_CHUNK 0x10000

struct piece {
    struct piece *next;
};

static struct user_spin lock;
static struct piece *pieces[LARGEST + 1];
// The first chunk is there with the program's own memory: most processes need no other.
static u8 first_chunk[FIRST_CHUNK] __attribute__((aligned(PAGE), section(".bss.large")));
// The untouched rest of a chunk.
static u64 fresh = (u64)first_chunk, fresh_end = (u64)first_chunk + FIRST_CHUNK;

void *user_pages(u64 address, u64 bytes)
{
    struct sys_region region = {.address = address,
                                .bytes = ALIGN_UP(bytes, PAGE),
                                .kind = REGION_ANONYMOUS,
                                .prot = PROT_R | PROT_W};
    return sys_region_create(0, &region) == 0 ? (void *)region.address : NULL;
}

void user_pages_free(void *memory, u64 bytes)
{
    (void)bytes; // a region is as long as it is
    sys_region_destroy((u64)memory);
}

static u32 size_class(u64 bytes)
{
    u32 class = SMALLEST;
    while (1ul << class < bytes)
        class ++;
    return class;
}

static void *take_fresh(u64 bytes)
{
    if (fresh_end - fresh < bytes) {
        void *chunk = user_pages(0, CHUNK);
        if (!chunk)
            return NULL;
        fresh = (u64)chunk;
        fresh_end = fresh + CHUNK;
    }
    fresh += bytes;
    return (void *)(fresh - bytes);
}

void *user_alloc(u64 bytes)
{
    if (heap_refuses())
        return NULL;
    if (bytes > 1ul << LARGEST)
        return user_pages(0, bytes);
    u32 class = size_class(bytes);
    u32 before = user_disable();
    user_spin_lock(&lock);
    struct piece *piece = pieces[class];
    if (piece)
        pieces[class] = piece->next;
    void *memory = piece ? piece : take_fresh(1ul << class);
    user_spin_unlock(&lock);
    user_enable(before);
    return piece ? memset(piece, 0, bytes) : memory; // fresh pages are zero
}

void user_free(void *memory, u64 bytes)
{
    if (!memory)
        return;
    heap_gives(memory);
    if (bytes > 1ul << LARGEST) {
        user_pages_free(memory, bytes);
        return;
    }
    u32 class = size_class(bytes);
    struct piece *piece = memory;
    u32 before = user_disable();
    user_spin_lock(&lock);
    piece->next = pieces[class];
    pieces[class] = piece;
    user_spin_unlock(&lock);
    user_enable(before);
}
