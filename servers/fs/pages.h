// SPDX-License-Identifier: MIT
// The account of the pages that all memory files and pipes have together, and its limit. Memory
// that clients got is in it until the last of them has let go of it. Any thread.
#ifndef FS_PAGES_H
#define FS_PAGES_H

#include <orrery/types.h>

#define PAGE 4096UL

// Takes pages from the account. Returns false, and takes none, if that exceeds the limit.
bool pages_take(u64 count);
void pages_return(u64 count);

u64 memory_files_bytes(void);       // bytes in use
u64 memory_files_limit_get(void);   // UINT64_MAX: none
void memory_files_limit(u64 bytes); // sets the limit, rounded down to pages

#endif
