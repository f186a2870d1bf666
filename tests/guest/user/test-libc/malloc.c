// SPDX-License-Identifier: MIT
// malloc storms: contents survive, sizes from 1 byte to megabytes, four threads at once;
// and the end of memory.
#include "tests.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <user/thread.h>

#define SLOTS 512
#define ROUNDS 20000
#define THREADS 4

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static size_t size_of(uint32_t *seed)
{
    uint32_t kind = next(seed) % 100;
    if (kind < 80)
        return next(seed) % 256 + 1;
    return kind < 99 ? next(seed) % 8192 + 1 : next(seed) % 400000 + 1;
}

static int filled(const unsigned char *memory, size_t bytes, unsigned char value)
{
    for (size_t i = 0; i<bytes; i += bytes> 64 ? 61 : 1) {
        if (memory[i] != value)
            return 0;
    }
    return memory[bytes - 1] == value;
}

struct block {
    unsigned char *memory;
    size_t bytes;
};

// Returns how often a block was not as it had been left, or could not be had.
static s64 storm(void *argument)
{
    struct block *blocks = calloc(SLOTS, sizeof *blocks);
    uint32_t seed = (uint32_t)(uintptr_t)argument;
    s64 wrong = blocks == NULL;
    for (unsigned round = 0; blocks && round < ROUNDS; round++) {
        unsigned slot = next(&seed) % SLOTS;
        struct block *block = &blocks[slot];
        unsigned char value = (unsigned char)slot;
        if (block->memory)
            wrong += !filled(block->memory, block->bytes, value);
        if (block->memory && next(&seed) % 2) {
            free(block->memory);
            block->memory = NULL;
            continue;
        }
        block->bytes = size_of(&seed);
        block->memory = realloc(block->memory, block->bytes);
        wrong += block->memory == NULL || (uintptr_t)block->memory % 16 != 0;
        if (block->memory)
            memset(block->memory, value, block->bytes);
    }
    for (unsigned slot = 0; blocks && slot < SLOTS; slot++)
        free(blocks[slot].memory);
    free(blocks);
    return wrong;
}

static void storms(void)
{
    struct thread *threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        EXPECT(thread_create(&threads[i], NULL, storm, (void *)(i + 1)) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        s64 wrong = -1;
        EXPECT(thread_join(threads[i], &wrong) == 0);
        EXPECT(wrong == 0);
    }
}

static void alignment(void)
{
    for (size_t power = 16; power <= 65536; power *= 2) {
        void *memory = memalign(power, 100);
        EXPECT(memory && (uintptr_t)memory % power == 0);
        free(memory);
    }
}

static void limits(void)
{
    errno = 0;
    volatile size_t beyond = (size_t)1 << 60;
    void *none = malloc(beyond);
    EXPECT(none == NULL && errno == ENOMEM);
    void *large = malloc((size_t)64 << 20); // only what is touched exists
    EXPECT(large != NULL);
    if (large)
        ((char *)large)[32 << 20] = 1;
    free(large);
    unsigned char *zeroed = calloc(1000, 7);
    EXPECT(zeroed && filled(zeroed, 7000, 0));
    free(zeroed);
    volatile size_t huge = (size_t)1 << 33; // the product overflows
    EXPECT(calloc(huge, huge) == NULL);
    unsigned char *moved = malloc(10);
    memset(moved, 5, 10);
    moved = realloc(moved, 100000);
    EXPECT(moved && filled(moved, 10, 5));
    moved = realloc(moved, 5);
    EXPECT(moved && filled(moved, 5, 5));
    free(moved);
}

void test_malloc(void)
{
    alignment();
    limits();
    storms();
}
