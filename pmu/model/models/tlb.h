// SPDX-License-Identifier: MIT
// A unified TLB: set-associative, least recently used, tagged by address space. The page's number
// alone chooses the set. There are no first-level tables (ERATs) in front of it. It models one CPU:
// no two threads at a time, so another CPU's invalidation must be handed over first.
#ifndef MODEL_TLB_H
#define MODEL_TLB_H

#include <orrery/types.h>

#define TLB_NO_PAGE (~0UL)

struct tlb_entry {
    u64 page; // TLB_NO_PAGE: none
    u64 space;
};

struct tlb_model {
    struct tlb_entry
        *entries; // set after set, in each the most recently used first, empty ones last
    u64 sets;
    u64 ways;
};

// Makes an empty TLB. entries, ways: powers of two, ways <= entries. Returns NULL if out of memory.
struct tlb_model *tlb_model_new(u64 entries, u64 ways);
void tlb_model_free(struct tlb_model *tlb); // NULL: nothing

bool tlb_model_access_slow(struct tlb_model *tlb, u64 space, u64 page_number);

// Returns whether a page is the most recently used one of its set. An access to it changes nothing.
static inline bool tlb_model_recent(const struct tlb_model *tlb, u64 space, u64 page_number)
{
    const struct tlb_entry *recent = &tlb->entries[(page_number & (tlb->sets - 1)) * tlb->ways];
    return recent->page == page_number && recent->space == space;
}

// Accesses a page. page_number: effective address / page_bytes, not TLB_NO_PAGE. space: its address
// space; one that all spaces share, like the kernel's, has a number of its own. Returns true if it
// was there. False is a miss: the page replaces the least recently used entry of its set.
static inline bool tlb_model_access(struct tlb_model *tlb, u64 space, u64 page_number)
{
    return tlb_model_recent(tlb, space, page_number) ||
           tlb_model_access_slow(tlb, space, page_number);
}

// Drops the entries of a page, of a space, or all; the others keep their order.
void tlb_model_flush(struct tlb_model *tlb, u64 space, u64 page_number);
void tlb_model_flush_space(struct tlb_model *tlb, u64 space);
void tlb_model_flush_all(struct tlb_model *tlb);

#endif
