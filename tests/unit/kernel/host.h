// SPDX-License-Identifier: MIT
// The machine that kernel code sees in host tests: memory that starts at an address of the host.
#ifndef TESTS_UNIT_KERNEL_HOST_H
#define TESTS_UNIT_KERNEL_HOST_H

#include <stdint.h>

extern uint64_t host_memory; // where physical 0 is
#define LINEAR_BASE host_memory

#endif
