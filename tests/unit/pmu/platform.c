// SPDX-License-Identifier: MIT
// Memory for sample buffers in tests.
#include "platform.h"

#include <stdlib.h>

bool platform_out_of_memory;
u32 platform_blocks;

void *pmu_platform_alloc(u64 bytes)
{
    if (platform_out_of_memory)
        return NULL;
    platform_blocks++;
    return malloc(bytes);
}

void pmu_platform_free(void *memory)
{
    if (memory != NULL)
        platform_blocks--;
    free(memory);
}
