// SPDX-License-Identifier: MIT
// Where a program's library keeps what its threads wait for, so that the kernel, or a reader of a
// memory dump, can tell it without the program's help: trace/waits.h. A program registers its
// layout's address (struct sys_process_image). Big endian, as the machine.
#ifndef ORRERY_THREAD_LAYOUT_H
#define ORRERY_THREAD_LAYOUT_H

#include <orrery/types.h>

#define THREAD_LAYOUT_MAGIC 0x4c41594f55543031UL // "LAYOUT01"

// What a thread waits for, in the low bits of its address.
#define THREAD_WAITS_LIMITED 1UL // not for ever
#define THREAD_WAITS_KIND 6UL    // one of the next four
#define THREAD_WAITS_MUTEX 0UL
#define THREAD_WAITS_JOIN 2UL // for the end of the thread at this address
#define THREAD_WAITS_SEMAPHORE 4UL
#define THREAD_WAITS_CONDITION 6UL
#define THREAD_WAITS_BITS 7UL

// Offsets are those in the library's thread, but for the last one.
struct thread_layout {
    u64 magic;        // THREAD_LAYOUT_MAGIC
    u64 first;        // address of the pointer to the first thread
    u64 thread_magic; // what stands at magic_at in each thread
    u32 magic_at;
    u32 next;     // u64: address of the next thread; 0: it is the last one
    u32 id;       // u32: its number
    u32 switches; // u64: changes whenever it gets a CPU
    // u64: address of what it waits for, | THREAD_WAITS_*; 0: for nothing that stands here. A mutex
    // is a word: address of the thread that has it, | 1 if somebody waits; 0: free.
    u32 mutex;
    u32 worker; // u64: address of its part that serves calls; 0: it has none
    u32 call;   // in that part, u64: the call that it works on; 0: none
    u32 reserved;
};
_Static_assert(sizeof(struct thread_layout) == 56, "known to readers of dumps");

#endif
