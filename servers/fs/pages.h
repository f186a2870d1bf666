// SPDX-License-Identifier: MIT
// How many pages memory files have, in all, and may have. Any thread.
#ifndef FS_PAGES_H
#define FS_PAGES_H

#include <orrery/types.h>

#define PAGE 4096UL

bool pages_take(u64 count); // false: that would be too many, and nothing is taken
void pages_return(u64 count);

u64 memory_files_bytes(void);
u64 memory_files_limit_get(void);
void memory_files_limit(u64 bytes);

#endif
