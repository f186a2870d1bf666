// SPDX-License-Identifier: MIT
// Small objects: power-of-two size classes from 16 to 2,048 bytes. The SmallAllocator object has a
// representative a CPU with free lists of its own, in front of the shared slabs. Larger requests
// become pages, whose order is noted in a table by page.
#include "failing.h"
#include "slab.h"

#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/sanitize.h>
#include <kernel/softmask.h>
#include <kernel/startup.h>
#include <string.h>

#include "proc/services.h"

#define KMALLOC_MAX (PAGE_SIZE << 12)
#define LARGE 0x80 // large_order of the first page of a large object: LARGE | order
#define NOINLINE __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))
#define LOCAL_MAX_BYTES 16384 // of free objects a CPU keeps in one class

struct small_heap;

struct small_allocator_ops {
    struct co_ops base;
    void *(*alloc)(struct small_heap *self, u32 class);
    s64 (*free)(struct small_heap *self, void *object, u32 class);
};

struct small_heap {
    CO_REP(struct small_allocator_ops);
    struct free_object *first[SLAB_CLASSES];
    u64 count[SLAB_CLASSES];
};

static struct small_heap heaps[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t small_allocator;
static u8 *large_order; // by page number
static u64 page_count;

static u32 class_for(u64 bytes)
{
    return bytes <= slab_class_bytes(0) ? 0 : 60 - (u32)__builtin_clzl(bytes - 1);
}

static bool refill(struct small_heap *heap, u32 class)
{
    heap->first[class] = slab_take(class, PAGE_SIZE / slab_class_bytes(class), &heap->count[class]);
    return heap->first[class] != NULL;
}

// Gives half of a list that has grown too long back. A list that holds an object twice has a ring,
// or goes on in another list, so that it does not end where it should.
static void drain(struct small_heap *heap, u32 class)
{
    struct free_object *at = heap->first[class], *last = NULL;
    u64 count = heap->count[class], i = 0;

    for (; i < count && at != NULL; i++) {
        if (i + 1 == count / 2)
            last = at;
        at = at->next;
    }
    if (i < count || at != NULL)
        slab_damaged(class);
    heap->count[class] = count / 2;
    slab_give(last->next, class);
    last->next = NULL;
}

static CO_METHOD void *kmalloc_alloc(struct small_heap *self, u32 class)
{
    CO_HOME(self);
    u8 masked = soft_mask();
    struct free_object *object = NULL;

    if (self->first[class] != NULL || refill(self, class)) {
        object = self->first[class];
        self->first[class] = object->next;
        self->count[class]--;
    }
    soft_mask_restore(masked);
    return object;
}

static CO_METHOD s64 kmalloc_release(struct small_heap *self, void *memory, u32 class)
{
    CO_HOME(self);
    struct free_object *object = memory;
    u8 masked = soft_mask();

    if (__builtin_expect(object == self->first[class], 0))
        slab_freed_twice(object, class);
    if (boot_options.poison)
        memset(memory, JUNK_OBJECTS, slab_class_bytes(class));
    object->next = self->first[class];
    self->first[class] = object;
    if (++self->count[class] * slab_class_bytes(class) > LOCAL_MAX_BYTES)
        drain(self, class);
    soft_mask_restore(masked);
    return 0;
}

static const struct small_allocator_ops ops = {CO_LEAF, kmalloc_alloc, kmalloc_release};
static struct co_class class = {
    .name = "SmallAllocator",
    .implementation = "SizeClasses",
    .size = sizeof(root) + sizeof(heaps[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = heaps,
    .static_rep_size = sizeof(heaps[0]),
};

void kmalloc_init(u64 memory_bytes)
{
    page_count = memory_bytes >> PAGE_SHIFT;
    sanitize_init_records(memory_bytes);
    slab_init(memory_bytes);
    large_order = pages_alloc_zeroed(pages_order(memory_bytes >> PAGE_SHIFT));
    if (large_order == NULL)
        panic("out of memory for the table of large objects");
}

void small_allocator_init(void)
{
    small_allocator = service_create(&class, &root, NULL);
}

static u8 *order_of(const void *object)
{
    return &large_order[virt_to_phys(object) >> PAGE_SHIFT];
}

static void *alloc_large(u64 bytes)
{
    u32 order = pages_order(bytes);
    void *pages = memory_for_kernel() ? pages_alloc_for_heap(order) : NULL;

    if (pages != NULL)
        *order_of(pages) = (u8)(LARGE | order);
    return pages;
}

// The object manager allocates before the SmallAllocator object exists: then the boot CPU's heap is
// used directly.
static INLINE void *heap_alloc(u64 bytes)
{
    if (bytes > KMALLOC_MAX)
        return NULL;
    u64 room = sanitize_heap_room(bytes);
    if (room > slab_class_bytes(SLAB_CLASSES - 1))
        return sanitize_heap_given(alloc_large(room), bytes);
    if (small_allocator == 0)
        return sanitize_heap_given(kmalloc_alloc(&heaps[0], class_for(room)), bytes);
    return sanitize_heap_given(CO_CALL(struct small_heap, small_allocator, alloc, class_for(room)),
                               bytes);
}

// Apart, as the next ones, so that what is not counted keeps nothing for this.
static NOINLINE void *kmalloc_counted(u64 bytes)
{
    return memory_fails() ? NULL : heap_alloc(bytes);
}

void *kmalloc(u64 bytes)
{
    MEMORY_POINT(counted);
    return heap_alloc(bytes);
counted:
    return kmalloc_counted(bytes);
}

static INLINE void *heap_alloc_zeroed(u64 bytes)
{
    void *object = heap_alloc(bytes);

    if (object != NULL)
        memset(object, 0, bytes);
    return object;
}

static NOINLINE void *kzalloc_counted(u64 bytes)
{
    return memory_fails() ? NULL : heap_alloc_zeroed(bytes);
}

void *kzalloc(u64 bytes)
{
    MEMORY_POINT(counted);
    return heap_alloc_zeroed(bytes);
counted:
    return kzalloc_counted(bytes);
}

// Size class of a small object; panics when it is none.
static u32 class_of(const void *object)
{
    s64 class = slab_class_of(object);

    if (class < 0)
        panic("%p is nothing that kmalloc gave", object);
    return (u32) class;
}

u64 kmalloc_usable(const void *object)
{
    u8 order = *order_of(object);

    u64 room = order & LARGE ? PAGE_SIZE << (order & ~LARGE) : slab_class_bytes(class_of(object));
    return sanitize_heap_usable(object, room);
}

void kfree(void *object)
{
    void *block = sanitize_heap_freed(object);

    for (; block != NULL; block = sanitize_heap_evicted()) {
        u8 order = *order_of(block);
        if (order & LARGE) {
            *order_of(block) = 0;
            pages_free(block, order & (u32)~LARGE);
        } else if (small_allocator == 0) {
            kmalloc_release(&heaps[0], block, class_of(block));
        } else {
            CO_CALL(struct small_heap, small_allocator, free, block, class_of(block));
        }
    }
}

static u64 large_pages(u64 *objects)
{
    u64 pages = 0;

    for (u64 page = 0; page < page_count; page++) {
        if (large_order[page] & LARGE) {
            pages += 1UL << (large_order[page] & ~LARGE);
            ++*objects;
        }
    }
    return pages;
}

// What CPUs keep of free objects is in no slab's list.
void heap_stat(struct heap_stat *stat)
{
    *stat = (struct heap_stat){0};
    sanitize_heap_drain();
    for (u32 class = 0; class < SLAB_CLASSES; class ++) {
        u64 objects, pages;
        slab_count(class, &objects, &pages);
        for (u32 cpu = 0; cpu < cpu_count; cpu++)
            objects -= __atomic_load_n(&heaps[cpu].count[class], __ATOMIC_RELAXED);
        stat->objects += objects;
        stat->bytes += objects * slab_class_bytes(class);
        stat->pages += pages;
    }
    u64 pages = large_pages(&stat->objects);
    stat->bytes += pages * PAGE_SIZE;
    stat->pages += pages;
}
