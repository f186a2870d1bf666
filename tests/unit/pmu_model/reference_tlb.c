// SPDX-License-Identifier: MIT
#include "reference.h"

#include <stdlib.h>

struct translation {
    u64 space, page, used;
};

struct reference_tlb {
    struct translation *bag; // in no order
    u64 count;
    u64 entries, ways;
    u64 now;
};

struct reference_tlb *reference_tlb_new(u64 entries, u64 ways)
{
    struct reference_tlb *tlb = calloc(1, sizeof(*tlb));
    tlb->bag = calloc(entries, sizeof(*tlb->bag));
    tlb->entries = entries;
    tlb->ways = ways;
    return tlb;
}

void reference_tlb_free(struct reference_tlb *tlb)
{
    free(tlb->bag);
    free(tlb);
}

static void take_out(struct reference_tlb *tlb, u64 which)
{
    tlb->bag[which] = tlb->bag[--tlb->count];
}

bool reference_tlb_access(struct reference_tlb *tlb, u64 space, u64 page)
{
    u64 set_count = tlb->entries / tlb->ways;
    u64 in_set = 0, oldest = 0;
    tlb->now++;
    for (u64 i = 0; i < tlb->count; i++) {
        struct translation *one = &tlb->bag[i];
        if (one->page == page && one->space == space) {
            one->used = tlb->now;
            return true;
        }
        if (one->page % set_count != page % set_count)
            continue;
        if (in_set++ == 0 || one->used < tlb->bag[oldest].used)
            oldest = i;
    }
    if (in_set == tlb->ways)
        take_out(tlb, oldest);
    tlb->bag[tlb->count++] = (struct translation){space, page, tlb->now};
    return false;
}

void reference_tlb_flush(struct reference_tlb *tlb, u64 space, u64 page)
{
    for (u64 i = 0; i < tlb->count;) {
        if (tlb->bag[i].space == space && tlb->bag[i].page == page)
            take_out(tlb, i);
        else
            i++;
    }
}

void reference_tlb_flush_space(struct reference_tlb *tlb, u64 space)
{
    for (u64 i = 0; i < tlb->count;) {
        if (tlb->bag[i].space == space)
            take_out(tlb, i);
        else
            i++;
    }
}

void reference_tlb_flush_all(struct reference_tlb *tlb)
{
    tlb->count = 0;
}
