// SPDX-License-Identifier: MIT
// What sampling needs from its host: the kernel (src/kernel_platform.c), or the unit tests.
#ifndef PMU_PLATFORM_H
#define PMU_PLATFORM_H

#include <orrery/types.h>

void *pmu_platform_alloc(u64 bytes);  // NULL when out of memory; thread context
void pmu_platform_free(void *memory); // NULL is ignored; thread context

#endif
