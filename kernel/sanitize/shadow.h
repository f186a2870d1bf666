// SPDX-License-Identifier: MIT
// The shadow: one byte for each eight of memory. 0: all eight may be accessed. 1 … 7: the first so
// many. Anything else: none, and the byte tells why.
//
// The shadow of memory lies in the linear map at SANITIZE_SHADOW_START, a place that the build
// fixes. The compiler adds SANITIZE_SHADOW_OFFSET in every check. An address without its top nibble
// gives a shadow address without its top nibble, so real mode needs nothing of its own.
#ifndef KERNEL_SANITIZE_SHADOW_H
#define KERNEL_SANITIZE_SHADOW_H

#include <orrery/types.h>

#define SHADOW_SHIFT 3
#define SHADOW_GRANULE (1UL << SHADOW_SHIFT)

enum shadow {
    // The compiler's own.
    SHADOW_STACK_LEFT = 0xf1,
    SHADOW_STACK_MIDDLE = 0xf2,
    SHADOW_STACK_RIGHT = 0xf3,
    SHADOW_STACK_SCOPE = 0xf8,
    // Ours.
    SHADOW_GLOBAL = 0xf9,
    SHADOW_HEAP_REDZONE = 0xfa, // around an object
    SHADOW_HEAP_FREED = 0xfd,   // an object in quarantine
    SHADOW_HEAP_FREE = 0xfb,    // memory of the heap that no object has
    SHADOW_PAGE_FREED = 0xfe,   // pages in quarantine
    SHADOW_PAGE_FREE = 0xff,    // pages that nobody has
    SHADOW_NOBODY = 0xfc,       // never anybody's: the shadow itself, what firmware has
};

static inline u8 *shadow_of(u64 address)
{
    return (u8 *)((address >> SHADOW_SHIFT) + SANITIZE_SHADOW_OFFSET);
}

// Sets the physical address below which memory has a shadow: until then none has. Real mode, once.
void shadow_begin(u64 memory_end);
// Is it memory of the linear map, below the end of the machine's?
bool shadow_is_memory(u64 address);
// Is it that, or a place where stacks are mapped?
bool shadow_covers(u64 address);

// Mark bytes from a multiple of 8 on: they may not be accessed, for that reason; or they may. A
// last part of eight counts for unpoison alone.
void shadow_poison(u64 address, u64 bytes, enum shadow why);
void shadow_unpoison(u64 address, u64 bytes);
// Marks that bytes may be accessed, and what follows up to end (a multiple of 8) not.
void shadow_set(u64 address, u64 bytes, u64 end, enum shadow why);
// Returns the first byte of the range that may not be accessed, or its end.
u64 shadow_first_bad(u64 address, u64 bytes);
bool shadow_allows(u64 address, u64 bytes);
// Returns why the byte may not be accessed, as far as its granule tells (enum shadow).
u8 shadow_reason(u64 address);

#endif
