// SPDX-License-Identifier: MIT
// The account of the pages that all memory files and pipes have together, and its limit. Memory
// that clients got is in it until the last of them has let go of it. Any thread.
#ifndef FS_PAGES_H
#define FS_PAGES_H

#include <orrery/types.h>

#define PAGE 4096UL
#define PAGES_KEPT 8 // the last one of so many pages is for processes that have a right

// Called once, before all others. Returns 0 or E_LIMIT.
s64 pages_start(void);
// Says for which process the calling thread works from now on. 0, as at first: the server itself or
// the kernel.
void pages_work_for(u32 pid);

// Takes pages from the account. Returns false, and takes none, if that exceeds the limit, or what
// the process may take for which the calling thread works.
bool pages_take(u64 count);
void pages_return(u64 count);

u64 memory_files_bytes(void);       // bytes in use
u64 memory_files_limit_get(void);   // UINT64_MAX: none
void memory_files_limit(u64 bytes); // sets the limit, rounded down to pages

#endif
