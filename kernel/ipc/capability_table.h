// SPDX-License-Identifier: MIT
// The layout of a capability table, for its code and the assembly fast path.
#ifndef KERNEL_IPC_CAPABILITY_TABLE_H
#define KERNEL_IPC_CAPABILITY_TABLE_H

#include <kernel/capability.h>
#include <kernel/spinlock.h>

struct address_space;

#define CAPABILITY_MAX 4096 // slots of a process
#define CAPABILITY_CHUNK 64 // slots made at a time: as many as a word has bits
#define CAPABILITY_CHUNKS (CAPABILITY_MAX / CAPABILITY_CHUNK)
// A slot's word is the address of its object and in the low bits what it is; an endpoint's is the
// plain address, because that is what calls look for.
#define CAPABILITY_TAG_MASK 7UL
#define CAPABILITY_TAG_ENDPOINT 0UL
#define CAPABILITY_TAG_PROCESS 1UL
#define CAPABILITY_TAG_MEMORY 2UL
#define CAPABILITY_TAG_MONITOR 3UL
#define CAPABILITY_TAG_READABLE 4UL
#define CAPABILITY_FREE 7UL // the word of a free slot

struct capability_slot {
    u64 word;
    u64 flags;
};

_Static_assert(CAPABILITY_CHUNKS <= 64, "a bit a chunk");

#define CAPABILITY_TABLE_MAGIC 0x43544142 // "CTAB"

struct capability_table {
    struct capability_slot *chunks[CAPABILITY_CHUNKS]; // never NULL
    struct spinlock lock;
    bool ended; // takes nothing any more
    u32 magic;  // CAPABILITY_TABLE_MAGIC
    // The lowest bit that is set is the lowest free slot, in two steps. Well-known slots are not
    // handed out: their bits are clear.
    u64 free_chunks;             // a bit a chunk with a free slot
    u64 free[CAPABILITY_CHUNKS]; // a bit a free slot
    struct address_space *space; // whose account has what is held of others
};

// Returns the endpoint in a slot, or NULL. Takes no lock and no reference. Soft-masked; use it only
// until unmasking, because what others drop meanwhile is freed after quiescence.
static inline struct endpoint *capability_endpoint(const struct capability_table *table, u64 cap)
{
    if (cap >= CAPABILITY_MAX)
        return NULL;
    const struct capability_slot *chunk =
        __atomic_load_n(&table->chunks[cap / CAPABILITY_CHUNK], __ATOMIC_ACQUIRE);
    u64 word = __atomic_load_n(&chunk[cap % CAPABILITY_CHUNK].word, __ATOMIC_ACQUIRE);
    return (word & CAPABILITY_TAG_MASK) == CAPABILITY_TAG_ENDPOINT ? (struct endpoint *)word : NULL;
}

#endif
