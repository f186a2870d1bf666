// SPDX-License-Identifier: MIT
// A unified TLB: set-associative, least recently used, tagged by address space. Sets are chosen by
// the page's number alone. There are no first-level tables (ERATs) in front of it. Stands for one
// CPU: no two threads at a time, so that an invalidation by another CPU has to
// be handed over first.
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

// entries, ways: powers of two, ways <= entries. Starts empty. NULL: no memory.
struct tlb_model *tlb_model_new(u64 entries, u64 ways);
void tlb_model_free(struct tlb_model *tlb); // NULL: nothing

bool tlb_model_access_slow(struct tlb_model *tlb, u64 space, u64 page_number);

// Whether a page is the most recently used one of its set, so that an access to it changes nothing.
static inline bool tlb_model_recent(const struct tlb_model *tlb, u64 space, u64 page_number)
{
    const struct tlb_entry *recent = &tlb->entries[(page_number & (tlb->sets - 1)) * tlb->ways];
    return recent->page == page_number && recent->space == space;
}

// page_number: effective address / page_bytes, not TLB_NO_PAGE; space: which address space it is
// meant in. One that all spaces share, like the kernel's, has a number of its own. True: it was
// there. False: a miss, filled in the place of its set's least recently used entry.
static inline bool tlb_model_access(struct tlb_model *tlb, u64 space, u64 page_number)
{
    return tlb_model_recent(tlb, space, page_number) ||
           tlb_model_access_slow(tlb, space, page_number);
}

// Drops what is there of a page, of a space, of all; the others keep their order.
void tlb_model_flush(struct tlb_model *tlb, u64 space, u64 page_number);
void tlb_model_flush_space(struct tlb_model *tlb, u64 space);
void tlb_model_flush_all(struct tlb_model *tlb);

#endif
