// SPDX-License-Identifier: MIT
// What the kernel tells the address sanitizer (kernel/sanitize/README.md). In images without it
// every function here is empty, and returns its argument.
#ifndef KERNEL_SANITIZE_H
#define KERNEL_SANITIZE_H

#include <orrery/types.h>

struct frame;

#ifdef SANITIZE_ADDRESS

// Reserves the shadow of memory_bytes at *hole … *hole_end, and marks all memory from first_free on
// as free. Set-up, real mode.
void sanitize_init(u64 memory_bytes, u64 first_free, u64 *hole, u64 *hole_end);
// Marks [start, end) of physical memory as in use for good, though no allocator gave it.
void sanitize_reserve(u64 start, u64 end);
// Makes the tables of the allocators' records; pages can be allocated.
void sanitize_init_records(u64 memory_bytes);
// Maps the shadow of addresses outside of the linear map. pgd: the kernel's directory, under
// construction.
void sanitize_map(u64 *pgd);

// Notes that a stack at bottom has got memory of the linear map (E_NOMEM), or loses it.
s64 sanitize_stack_map(u64 bottom, const void *memory);
void sanitize_stack_unmap(u64 bottom);
// Notes that code will not return to the current stack's frames above this call.
void sanitize_stack_left(void);

// Notes that pages were allocated, and returns them. Passes NULL on.
void *sanitize_pages_given(void *pages, u32 order);
// Notes that pages are freed. Returns true if they stay in quarantine. Panics if they are not in
// use, or have another order.
bool sanitize_pages_freed(void *pages, u32 order);
u64 sanitize_pages_quarantined(void);
// Empties the quarantine into the buddy lists. Returns false if there was nothing.
bool sanitize_pages_drain(void);

// Returns the bytes to allocate for an object of bytes.
u64 sanitize_heap_room(u64 bytes);
// Returns the object of bytes within a block. NULL: tries again if it can empty the quarantine.
void *sanitize_heap_given(void *block, u64 bytes);
// Returns the block to free for a freed object, or NULL if it stays in quarantine. Panics if it is
// not an object in use. Passes NULL on.
void *sanitize_heap_freed(void *object);
// Returns the next block that leaves the quarantine, or NULL.
void *sanitize_heap_evicted(void);
// Returns the bytes that an object has room for; without the sanitizer that is room.
u64 sanitize_heap_usable(const void *object, u64 room);
// Empties the quarantine, so that free memory can be counted.
void sanitize_heap_drain(void);
// Notes that a page becomes one of small objects, none of which is in use.
void sanitize_heap_page(void *page);

// Handles a data fault of the kernel's. Returns true if it was a read of the shadow of an address
// without shadow: the read gets poison, and the frame continues.
bool sanitize_fault(struct frame *frame);
// Adds to a panic's output if this CPU reports an error.
void sanitize_describe(void);

#else

static inline void sanitize_init(u64 memory_bytes, u64 first_free, u64 *hole, u64 *hole_end)
{
    (void)first_free;
    *hole = *hole_end = memory_bytes;
}

static inline void sanitize_reserve(u64 start, u64 end)
{
    (void)start;
    (void)end;
}

static inline void sanitize_init_records(u64 memory_bytes)
{
    (void)memory_bytes;
}

static inline void sanitize_map(u64 *pgd)
{
    (void)pgd;
}

static inline s64 sanitize_stack_map(u64 bottom, const void *memory)
{
    (void)bottom;
    (void)memory;
    return 0;
}

static inline void sanitize_stack_unmap(u64 bottom)
{
    (void)bottom;
}

static inline void sanitize_stack_left(void)
{
}

static inline void *sanitize_pages_given(void *pages, u32 order)
{
    (void)order;
    return pages;
}

static inline bool sanitize_pages_freed(void *pages, u32 order)
{
    (void)pages;
    (void)order;
    return false;
}

static inline u64 sanitize_pages_quarantined(void)
{
    return 0;
}

static inline bool sanitize_pages_drain(void)
{
    return false;
}

static inline u64 sanitize_heap_room(u64 bytes)
{
    return bytes;
}

static inline void *sanitize_heap_given(void *block, u64 bytes)
{
    (void)bytes;
    return block;
}

static inline void *sanitize_heap_freed(void *object)
{
    return object;
}

static inline void *sanitize_heap_evicted(void)
{
    return NULL;
}

static inline u64 sanitize_heap_usable(const void *object, u64 room)
{
    (void)object;
    return room;
}

static inline void sanitize_heap_drain(void)
{
}

static inline void sanitize_heap_page(void *page)
{
    (void)page;
}

static inline bool sanitize_fault(struct frame *frame)
{
    (void)frame;
    return false;
}

static inline void sanitize_describe(void)
{
}

#endif
#endif
