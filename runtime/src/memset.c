// SPDX-License-Identifier: MIT
// memset for this machine, in place of newlib's: clears pages by dcbz, a cache block an
// instruction, and writes other values 64 bytes a round.
#include <string.h>

#include <orrery/types.h>

#define CACHE_BLOCK 128

static inline void store(u8 *to, u64 word)
{
    __builtin_memcpy(to, &word, sizeof(word)); // one std, aligned or not
}

static inline __attribute__((always_inline)) void store_32(u8 *to, u64 word)
{
    store(to, word);
    store(to + 8, word);
    store(to + 16, word);
    store(to + 24, word);
}

static u8 *clear_blocks(u8 *to, size_t count)
{
    for (; count >= CACHE_BLOCK; count -= CACHE_BLOCK, to += CACHE_BLOCK)
        __asm__ volatile("dcbz 0,%0" ::"r"(to) : "memory");
    return to;
}

// The attribute keeps the compiler from replacing these loops by a call of memset.
__attribute__((optimize("no-tree-loop-distribute-patterns", "no-unroll-loops"))) void *
memset(void *memory, int value, size_t count)
{
    u8 *to = memory, *end = to + count;
    u64 word = (u64)(u8)value * 0x0101010101010101;

    bool aligned = (u64)to % CACHE_BLOCK == 0;
    if (word == 0 && count >= (aligned ? CACHE_BLOCK : 4 * CACHE_BLOCK)) {
        for (; (u64)to % CACHE_BLOCK != 0 && (u64)to % 8 != 0; to++)
            *to = 0;
        for (; (u64)to % CACHE_BLOCK != 0; to += 8)
            store(to, 0);
        to = clear_blocks(to, (size_t)(end - to));
    }
    for (; end - to >= 64; to += 64) {
        store_32(to, word);
        store_32(to + 32, word);
    }
    // The rest is written by stores that may reach back.
    if (count >= 16) {
        if (end - to > 32) {
            store_32(to, word);
            to += 32;
        }
        if (end - to > 16) {
            store(to, word);
            store(to + 8, word);
        }
        store(end - 16, word);
        store(end - 8, word);
        return memory;
    }
    if (count >= 8) {
        store(to, word);
        store(end - 8, word);
        return memory;
    }
    for (; to < end; to++)
        *to = (u8)value;
    return memory;
}
