// SPDX-License-Identifier: MIT
// DMA windows of virtual devices: a device reaches the pages that its TCE table names, nothing
// else.
#ifndef KERNEL_DEV_DMA_H
#define KERNEL_DEV_DMA_H

#include <orrery/types.h>

struct dma_window {
    u32 liobn;     // names the table
    u64 next, end; // unused I/O bus addresses
};

// Maps contiguous linear memory (page-aligned) for reading and writing by the device, at the next
// free I/O bus address. Stores the address in *ioba. E_LIMIT: the window is used up; E_IO: the
// hypervisor refuses.
int dma_map(struct dma_window *window, const void *memory, u64 bytes, u64 *ioba);

#endif
