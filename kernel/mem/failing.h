// SPDX-License-Identifier: MIT
// Memory that fails, for tests: allocations of one process, of the kernel's own threads, or of all
// are counted, and the Nth fails (orrery/sys.h). Meanwhile the allocators ask at their points; else
// these are nops. A process's malloc asks by a system call, while its dispatchers' pages say so.
#ifndef KERNEL_MEM_FAILING_H
#define KERNEL_MEM_FAILING_H

#include <orrery/types.h>

// One nop, patched to a branch to label while allocations are counted. .memory_points tells where.
#define MEMORY_POINT(label)                                                                        \
    __asm__ goto("1: nop\n"                                                                        \
                 ".pushsection .memory_points,\"a\",@progbits\n"                                   \
                 ".balign 8\n"                                                                     \
                 ".quad 1b, %l[" #label "]\n"                                                      \
                 ".popsection"                                                                     \
                 :                                                                                 \
                 :                                                                                 \
                 :                                                                                 \
                 : label)

// Counts an allocation, behind a point of the function that was called for it. Returns whether that
// function must return NULL. Any context but PMI.
bool memory_fails(void);

// Returns whether the malloc of a process has to ask: for the pages of its dispatchers. Thread
// context.
bool memory_heap_counted(u32 pid);

#endif
