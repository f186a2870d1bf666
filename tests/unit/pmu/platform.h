// SPDX-License-Identifier: MIT
// Host of sample buffers in tests: allocations that can be made to fail, and are counted.
#ifndef TESTS_PMU_PLATFORM_H
#define TESTS_PMU_PLATFORM_H

#include <pmu/platform.h>

extern bool platform_out_of_memory;
extern u32 platform_blocks; // allocated and not freed

#endif
