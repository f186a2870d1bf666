// SPDX-License-Identifier: MIT
// Sets are lists in the order of use. The requested page goes to the front. The others move up to
// its old place or, if it was not there, over the end. A flush closes the gap.
#include "tlb.h"

#include <stdlib.h>
#include <string.h>

static const struct tlb_entry EMPTY = {.page = TLB_NO_PAGE};

struct tlb_model *tlb_model_new(u64 entries, u64 ways)
{
    struct tlb_model *tlb = malloc(sizeof(*tlb));
    if (!tlb)
        return NULL;
    *tlb = (struct tlb_model){
        .entries = malloc(entries * sizeof(*tlb->entries)), .sets = entries / ways, .ways = ways};
    if (!tlb->entries) {
        free(tlb);
        return NULL;
    }
    tlb_model_flush_all(tlb);
    return tlb;
}

void tlb_model_free(struct tlb_model *tlb)
{
    if (!tlb)
        return;
    free(tlb->entries);
    free(tlb);
}

static struct tlb_entry *set_of(struct tlb_model *tlb, u64 page_number)
{
    return &tlb->entries[(page_number & (tlb->sets - 1)) * tlb->ways];
}

static bool is(const struct tlb_entry *entry, u64 space, u64 page_number)
{
    return entry->page == page_number && entry->space == space;
}

bool tlb_model_access_slow(struct tlb_model *tlb, u64 space, u64 page_number)
{
    struct tlb_entry *set = set_of(tlb, page_number);
    struct tlb_entry moving = {.page = page_number, .space = space};
    for (u64 way = 0; way < tlb->ways; way++) {
        struct tlb_entry here = set[way];
        set[way] = moving;
        if (is(&here, space, page_number))
            return true;
        moving = here;
    }
    return false;
}

static void drop(struct tlb_model *tlb, struct tlb_entry *set, u64 way)
{
    memmove(set + way, set + way + 1, (tlb->ways - 1 - way) * sizeof(*set));
    set[tlb->ways - 1] = EMPTY;
}

void tlb_model_flush(struct tlb_model *tlb, u64 space, u64 page_number)
{
    struct tlb_entry *set = set_of(tlb, page_number);
    for (u64 way = 0; way < tlb->ways; way++) {
        if (is(&set[way], space, page_number)) {
            drop(tlb, set, way);
            return;
        }
    }
}

void tlb_model_flush_space(struct tlb_model *tlb, u64 space)
{
    for (u64 i = 0; i < tlb->sets; i++) {
        struct tlb_entry *set = &tlb->entries[i * tlb->ways];
        // backwards: a drop moves only entries already looked at
        for (u64 way = tlb->ways; way-- > 0;) {
            if (set[way].space == space)
                drop(tlb, set, way);
        }
    }
}

void tlb_model_flush_all(struct tlb_model *tlb)
{
    for (u64 i = 0; i < tlb->sets * tlb->ways; i++)
        tlb->entries[i] = EMPTY;
}
