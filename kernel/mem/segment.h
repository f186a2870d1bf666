// SPDX-License-Identifier: MIT
// SegmentHATs, for the HAT that attaches them.
#ifndef KERNEL_MEM_SEGMENT_H
#define KERNEL_MEM_SEGMENT_H

#include "hat.h"
#include "radix.h"

#include <kernel/refs.h>

struct segment;

#define KIND_SEGMENT REFS_KIND('S', 'E', 'G', 'M')

struct segment_ops {
    struct co_ops base;
    // Puts an entry in for an address, over the old one.
    s64 (*map)(struct segment *self, u64 address, u64 entry);
};

struct segment {
    CO_REP(struct segment_ops);
    struct co_root root;
    struct hat *hat;  // whose own it is; NULL: shared
    struct refs refs; // of a shared one: HATs and its FCM
    u64 *table;       // hardware format, 512 entries
};

// Makes a space's own segment over a zeroed table. Returns NULL if out of memory.
struct segment *segment_create(struct hat *hat, u64 *table);
// Ends the segment's object. Its table has been freed.
void segment_destroy(struct segment *segment);

// Flushes the TLBs of a HAT, for segments. Local when it has run nowhere else.
void hat_flush_page(struct hat *hat, u64 address);

static inline u64 segment_entry(u64 page, u32 prot)
{
    return PTE_PAGE | page | (prot & 1 ? PTE_READ : 0) | (prot & 2 ? PTE_WRITE : 0) |
           (prot & 4 ? PTE_EXEC : 0);
}

static inline u64 *segment_slot(struct segment *segment, u64 address)
{
    return &segment->table[table_index(address, 0)];
}

static inline bool segment_is_shared(const struct segment *segment)
{
    return segment->hat == NULL;
}

// Maps a page over whatever was there. prot: PROT_*. The caller holds the lock under which this
// address may be mapped and unmapped.
static inline void segment_map(struct segment *segment, u64 address, u64 page, u32 prot)
{
    CO_CALL(struct segment, segment->root.coid, map, address, segment_entry(page, prot));
}

#endif
