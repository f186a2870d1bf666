// SPDX-License-Identifier: MIT
// The depot of small objects that all CPUs share: pages cut into objects of one size class.
#ifndef KERNEL_MEM_SLAB_H
#define KERNEL_MEM_SLAB_H

#include <orrery/types.h>

#define SLAB_CLASSES 8 // 16 … 2048 bytes

struct free_object {
    struct free_object *next;
};

// Makes room for the bookkeeping of all pages below memory_bytes. Set-up.
void slab_init(u64 memory_bytes);

static inline u64 slab_class_bytes(u32 class)
{
    return 16UL << class;
}

// The next three: any context but PMI, no lock of rank >= RANK_KMALLOC held.
// Up to most objects of a class as a list, cutting up a fresh page when the depot has none. *count
// is their number; NULL when out of memory.
struct free_object *slab_take(u32 class, u64 most, u64 *count);
// Gives a list of objects back; a page whose objects are all back becomes free.
void slab_give(struct free_object *first, u32 class);
// Counts what is allocated of a class, or kept by CPUs, and the class's pages.
void slab_count(u32 class, u64 *objects, u64 *pages);
// Returns the size class of an address, or E_NOENT when it is in no slab.
s64 slab_class_of(const void *object);
// Panic: an object, or another of its class and nobody knows which, was freed and was free already.
_Noreturn void slab_freed_twice(const void *object, u32 class);
_Noreturn void slab_damaged(u32 class);

#endif
