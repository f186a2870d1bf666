// SPDX-License-Identifier: MIT
// Files and memory mapped into the address space (orrery/memory.h has the kernel's own calls).
#ifndef _SYS_MMAN_H
#define _SYS_MMAN_H

#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4 // never with PROT_WRITE

#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 0x20 // fd -1; private only
#define MAP_ANON MAP_ANONYMOUS
#define MAP_FAILED ((void *)-1)

// Maps a file or memory. address: where the mapping goes if not NULL (EEXIST: something is there).
// What is written to a shared mapping reaches readers of the file when the kernel gives the page to
// the file's server.
void *mmap(void *address, size_t bytes, int prot, int flags, int fd, off_t offset);
// Ends whole mappings, and the last pages of one. ENOTSUP: pages of one that goes on behind them.
int munmap(void *address, size_t bytes);
int mprotect(void *address, size_t bytes, int prot);

#endif
