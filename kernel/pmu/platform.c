// SPDX-License-Identifier: MIT
// The kernel as host of sample buffers.
#include <kernel/memory.h>
#include <pmu/platform.h>

void *pmu_platform_alloc(u64 bytes)
{
    return kmalloc(bytes);
}

void pmu_platform_free(void *memory)
{
    kfree(memory);
}
