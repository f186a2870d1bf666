// SPDX-License-Identifier: MIT
// Translation control entries, one a page, set by hypercall.
#include "dma.h"

#include <kernel/hcall.h>
#include <kernel/memory.h>
#include <orrery/errors.h>

#define TCE_READ_WRITE 3

int dma_map(struct dma_window *window, const void *memory, u64 bytes, u64 *ioba)
{
    u64 at = ALIGN_UP(window->next, PAGE_SIZE);
    u64 end = at + ALIGN_UP(bytes, PAGE_SIZE);
    u64 physical = virt_to_phys(memory);

    if (end > window->end)
        return E_LIMIT;
    for (u64 offset = 0; at + offset < end; offset += PAGE_SIZE)
        if (HCALL(H_PUT_TCE, window->liobn, at + offset, (physical + offset) | TCE_READ_WRITE) !=
            H_SUCCESS)
            return E_IO;
    window->next = end;
    *ioba = at;
    return 0;
}
