// SPDX-License-Identifier: MIT
// What the system calls about the system itself need to know.
#ifndef BOOT_SRC_SYSTEM_H
#define BOOT_SRC_SYSTEM_H

#include <orrery/types.h>

#define ORRERY_VERSION "0.1"

// memory in bytes; entry_timebase: when firmware entered the kernel.
void system_init(u64 memory, u64 entry_timebase);

#endif
