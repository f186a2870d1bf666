// SPDX-License-Identifier: MIT
// The CPU that kernel code under test believes to run on.
#ifndef TESTS_UNIT_IPC_PERCPU_H
#define TESTS_UNIT_IPC_PERCPU_H

#include <orrery/types.h>

extern u32 host_cpu;
extern u32 cpu_count;

static inline u32 cpu_id(void)
{
    return host_cpu;
}

#endif
