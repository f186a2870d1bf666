// SPDX-License-Identifier: MIT
// Objects of the heap. Each lies in its block behind a header, which is the redzone to its left.
// The rest of the block is the redzone to its right.
#include <kernel/memory.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>

#include "depot.h"
#include "mem/pages.h"
#include "mem/slab.h"
#include "records.h"
#include "report.h"
#include "shadow.h"

#define HEADER_BYTES 48 // objects are aligned to 16
#define BEHIND_BYTES 16 // at least
#define QUARANTINE_MAX (4UL << 20)
#define QUARANTINE_SHARE 16 // and one byte in so many of what is free

_Static_assert(sizeof(struct object_header) <= HEADER_BYTES, "the left redzone");

static struct spinlock lock = SPINLOCK_INIT("heap quarantine", RANK_KMALLOC);
static struct object_header *first, *last;
static u64 held; // bytes of blocks
static bool memory_is_short;

// Returns an object's offset in its block. kmalloc promises the alignment that its type may ask
// for.
static u64 offset_of(u64 bytes)
{
    u64 alignment = bytes & -bytes;

    if (alignment > KMALLOC_ALIGNMENT_MAX)
        alignment = KMALLOC_ALIGNMENT_MAX;
    return alignment > HEADER_BYTES ? alignment : HEADER_BYTES;
}

u64 heap_object(const struct object_header *header)
{
    return (u64)header + offset_of(header->bytes);
}

struct object_header *heap_header(u64 address, u64 *block_bytes)
{
    u64 start;
    const struct page_record *record = pages_record(address, &start);

    if (record == NULL)
        return NULL;
    if (record->object) {
        *block_bytes = PAGE_SIZE << record->order;
        return (struct object_header *)start;
    }
    s64 class = slab_class_of((const void *)address);
    if (class < 0)
        return NULL;
    *block_bytes = slab_class_bytes((u32) class);
    return (struct object_header *)ALIGN_DOWN(address, *block_bytes);
}

// Returns a block's size. What is in no slab has pages of its own.
static u64 size_of_block(void *block)
{
    u64 start, bytes;

    if (slab_class_of(block) < 0)
        pages_record((u64)block, &start)->object = true;
    heap_header((u64)block, &bytes);
    return bytes;
}

u64 sanitize_heap_room(u64 bytes)
{
    return offset_of(bytes) + bytes + BEHIND_BYTES;
}

void sanitize_heap_page(void *page)
{
    shadow_poison((u64)page, PAGE_SIZE, SHADOW_HEAP_FREE);
}

u64 sanitize_heap_usable(const void *object, u64 room)
{
    return heap_header((u64)object, &room)->bytes;
}

// ---- quarantine ---------------------------------------------------------------------------------

static void append(struct object_header *header, u64 block_bytes)
{
    spin_lock(&lock);
    header->next = NULL;
    if (first == NULL)
        first = header;
    else
        last->next = header;
    last = header;
    held += block_bytes;
    spin_unlock(&lock);
}

static struct object_header *take_oldest(u64 limit)
{
    struct object_header *header = NULL;
    u64 block_bytes = 0;

    spin_lock(&lock);
    if (held > limit) {
        header = first;
        first = header->next;
        heap_header((u64)header, &block_bytes);
        held -= block_bytes;
    }
    spin_unlock(&lock);
    if (header != NULL) {
        header->state = OBJECT_RELEASED;
        shadow_poison((u64)header, block_bytes, SHADOW_HEAP_FREE);
    }
    return header;
}

static bool is_free(const void *object)
{
    u8 shadow = *shadow_of((u64)object);

    return shadow == SHADOW_HEAP_FREED || shadow == SHADOW_HEAP_FREE;
}

static struct object_header *check_freed(const void *object, u64 *block_bytes, u64 pc)
{
    struct object_header *header = heap_header((u64)object, block_bytes);

    if (header != NULL && is_free(object))
        report_free("object freed twice", object, pc);
    if (header == NULL || header->state != OBJECT_IN_USE || heap_object(header) != (u64)object)
        report_free("no object of the heap", object, pc);
    return header;
}

void *sanitize_heap_freed(void *object)
{
    u64 block_bytes;

    if (object == NULL)
        return sanitize_heap_evicted();
    struct object_header *header =
        check_freed(object, &block_bytes, (u64)__builtin_return_address(0));

    header->state = OBJECT_QUARANTINED;
    header->freed = depot_put();
    header->freeing_thread = record_thread();
    shadow_set(heap_object(header), 0, heap_object(header) + ALIGN_UP(header->bytes, 8UL),
               SHADOW_HEAP_FREED);
    append(header, block_bytes);
    return sanitize_heap_evicted();
}

void *sanitize_heap_evicted(void)
{
    u64 share = (buddy_free_pages() << PAGE_SHIFT) / QUARANTINE_SHARE;
    u64 most = share < QUARANTINE_MAX ? share : QUARANTINE_MAX;

    return take_oldest(memory_is_short ? 0 : most);
}

// Empties the quarantine: kfree lets go of what it has too much of. Returns false if it was empty.
static bool drain(void)
{
    if (held == 0)
        return false;
    memory_is_short = true;
    kfree(NULL);
    memory_is_short = false;
    return true;
}

void sanitize_heap_drain(void)
{
    drain();
}

void *sanitize_heap_given(void *block, u64 bytes)
{
    struct object_header *header = block;

    if (block == NULL)
        return drain() ? kmalloc(bytes) : NULL;
    u64 end = (u64)block + size_of_block(block);
    *header = (struct object_header){
        .state = OBJECT_IN_USE,
        .allocated = depot_put(),
        .allocating_thread = record_thread(),
        .bytes = bytes,
    };
    shadow_poison((u64)block, heap_object(header) - (u64)block, SHADOW_HEAP_REDZONE);
    shadow_set(heap_object(header), bytes, end, SHADOW_HEAP_REDZONE);
    return (void *)heap_object(header);
}
