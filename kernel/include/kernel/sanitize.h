// SPDX-License-Identifier: MIT
// What the kernel tells the address sanitizer (kernel/sanitize/README.md). In images without it
// every function here is empty, and its argument comes back as it is.
#ifndef KERNEL_SANITIZE_H
#define KERNEL_SANITIZE_H

#include <orrery/types.h>

struct frame;

#ifdef SANITIZE_ADDRESS

// Set-up, real mode. The shadow of memory_bytes lies in *hole … *hole_end, which nobody else may
// have; all memory from first_free on counts as free.
void sanitize_init(u64 memory_bytes, u64 first_free, u64 *hole, u64 *hole_end);
// [start, end) of physical memory is in use for good, though no allocator gave it.
void sanitize_reserve(u64 start, u64 end);
// Tables of the allocators' records; pages can be had.
void sanitize_init_records(u64 memory_bytes);
// Shadow of addresses that are not in the linear map. pgd: the kernel's directory,
// under construction.
void sanitize_map(u64 *pgd);

// A stack at bottom has got memory of the linear map (E_NOMEM), or loses it.
s64 sanitize_stack_map(u64 bottom, const void *memory);
void sanitize_stack_unmap(u64 bottom);
// What lies on the current stack above this call will not be returned to.
void sanitize_stack_left(void);

// Pages were given: returns them. NULL is passed on.
void *sanitize_pages_given(void *pages, u32 order);
// Pages are freed: true: they stay in quarantine. Panics when they are not in use,
// or of another order.
bool sanitize_pages_freed(void *pages, u32 order);
u64 sanitize_pages_quarantined(void);
// Empties the quarantine into the buddy lists; false: there was nothing.
bool sanitize_pages_drain(void);

// Bytes to allocate for an object of bytes.
u64 sanitize_heap_room(u64 bytes);
// The object of so many bytes within a block. NULL: tries again if the quarantine can be emptied.
void *sanitize_heap_given(void *block, u64 bytes);
// An object is freed: the block to free instead, or NULL: it stays in quarantine. Panics when it is
// none in use; NULL stands for none.
void *sanitize_heap_freed(void *object);
// The next block that leaves the quarantine, or NULL.
void *sanitize_heap_evicted(void);
// Bytes that an object has room for: room, were it not for the sanitizer.
u64 sanitize_heap_usable(const void *object, u64 room);
// Empties the quarantine: what is free shall be counted.
void sanitize_heap_settle(void);
// A page becomes one of small objects, none of which is in use.
void sanitize_heap_page(void *page);

// A data fault of the kernel's: true when it was a look at the shadow of an address that has none.
// The look then found poison, and the frame goes on with that.
bool sanitize_fault(struct frame *frame);
// Within a panic: what a report adds to it, if this CPU reports.
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

static inline void sanitize_heap_settle(void)
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
