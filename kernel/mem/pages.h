// SPDX-License-Identifier: MIT
// Between the parts of the page allocator.
#ifndef KERNEL_MEM_PAGES_H
#define KERNEL_MEM_PAGES_H

#include <orrery/types.h>

#define PAGES_MAX_ORDER 12

// The shared buddy lists: any context but PMI, no lock of rank >= RANK_PAGES held.
void *buddy_alloc(u32 order);
void buddy_free(void *block, u32 order);
// Allocates up to count single pages. Returns how many it got.
u32 buddy_alloc_singles(void **pages, u32 count);
void buddy_free_singles(void *const *pages, u32 count);
u64 buddy_free_pages(void);
extern u64 buddy_pages_now; // free, but for what a sanitizer keeps: a look that costs nothing
u64 buddy_total_pages(void);

#endif
