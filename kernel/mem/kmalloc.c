// SPDX-License-Identifier: MIT
// Small objects: power-of-two size classes from 16 to 2,048 bytes, cut from single pages. The
// SmallAllocator object has a representative a CPU with free lists of its own; surplus goes through a
// shared depot. Larger requests become pages. What kind a page holds is noted in a table by page.
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/startup.h>
#include <kernel/softmask.h>
#include <kernel/spinlock.h>
#include <string.h>
#include <trace/events.h>

#include "../proc/services.h"

#define CLASS_MIN_SHIFT 4
#define CLASSES 8  // 16 … 2048
#define LARGE 0x80 // page_kind of the first page of a large object: LARGE | order
#define KMALLOC_MAX (PAGE_SIZE << 12)
#define JUNK 0xdd
#define LOCAL_MAX_BYTES 16384 // of free objects a CPU keeps in one class

struct free_object {
    struct free_object *next;
};

struct small_heap;

struct small_allocator_ops {
    struct co_ops base;
    void *(*alloc)(struct small_heap *self, u32 class);
    s64 (*free)(struct small_heap *self, void *object, u32 class);
};

struct small_heap {
    CO_REP(struct small_allocator_ops);
    struct free_object *first[CLASSES];
    u32 count[CLASSES];
};

static struct small_heap heaps[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t small_allocator;
static u8 *page_kind; // by page number: size class + 1, LARGE | order, or 0
static struct spinlock depot_lock = SPINLOCK_INIT("kmalloc depot", RANK_KMALLOC);
static struct free_object *depot[CLASSES];

static u64 class_bytes(u32 class)
{
    return 1UL << (class + CLASS_MIN_SHIFT);
}

static u32 class_of(u64 bytes)
{
    u32 class = 0;

    while (class_bytes(class) < bytes)
        class ++;
    return class;
}

static void push(struct small_heap *heap, void *object, u32 class)
{
    struct free_object *free = object;

    free->next = heap->first[class];
    heap->first[class] = free;
    heap->count[class]++;
}

static void *pop(struct small_heap *heap, u32 class)
{
    struct free_object *object = heap->first[class];

    heap->first[class] = object->next;
    heap->count[class]--;
    return object;
}

// From the depot, else from a fresh page. Soft-masked.
static bool refill(struct small_heap *heap, u32 class)
{
    u64 want = PAGE_SIZE >> (class + CLASS_MIN_SHIFT);

    spin_lock(&depot_lock);
    for (u64 i = 0; i < want && depot[class] != NULL; i++) {
        struct free_object *object = depot[class];
        depot[class] = object->next;
        push(heap, object, class);
    }
    spin_unlock(&depot_lock);
    if (heap->first[class] != NULL)
        return true;
    char *page = pages_alloc(0);
    if (page == NULL)
        return false;
    page_kind[virt_to_phys(page) >> PAGE_SHIFT] = (u8)(class + 1);
    trace_kmalloc_slab(class_bytes(class), (u64)page);
    for (u64 at = 0; at < PAGE_SIZE; at += class_bytes(class))
        push(heap, page + at, class);
    return true;
}

// Gives half of a list that has grown too long to the depot. Soft-masked.
static void drain(struct small_heap *heap, u32 class)
{
    u32 keep = heap->count[class] / 2;

    spin_lock(&depot_lock);
    while (heap->count[class] > keep) {
        struct free_object *object = pop(heap, class);
        object->next = depot[class];
        depot[class] = object;
    }
    spin_unlock(&depot_lock);
}

CO_METHOD static void *alloc(struct small_heap *self, u32 class)
{
    CO_HOME(self);
    u8 masked = soft_mask();
    void *object = NULL;

    if (self->first[class] != NULL || refill(self, class))
        object = pop(self, class);
    soft_mask_restore(masked);
    return object;
}

CO_METHOD static s64 release(struct small_heap *self, void *object, u32 class)
{
    CO_HOME(self);
    u8 masked = soft_mask();

    memset(object, JUNK, class_bytes(class));
    push(self, object, class);
    if (self->count[class] * class_bytes(class) > LOCAL_MAX_BYTES)
        drain(self, class);
    soft_mask_restore(masked);
    return 0;
}

static s64 handle_miss(struct co_root *missed, u32 cpu, struct co_rep **rep)
{
    (void)missed;
    *rep = &heaps[cpu].co;
    return 0;
}

static const struct small_allocator_ops ops = {CO_LEAF, alloc, release};
static struct co_class class = {
    .name = "SmallAllocator",
    .implementation = "SizeClasses",
    .size = sizeof(root) + sizeof(heaps[0]),
    .distributed = true,
    .ops = &ops.base,
    .handle_miss = handle_miss,
};

void kmalloc_init(u64 memory_bytes)
{
    page_kind = pages_alloc_zeroed(pages_order(memory_bytes >> PAGE_SHIFT));
    if (page_kind == NULL)
        panic("out of memory for the table of page kinds");
}

void small_allocator_init(void)
{
    small_allocator = service_create(&class, &root, NULL);
}

static void *alloc_large(u64 bytes)
{
    u32 order = pages_order(bytes);
    void *pages = pages_alloc(order);

    if (pages != NULL)
        page_kind[virt_to_phys(pages) >> PAGE_SHIFT] = (u8)(LARGE | order);
    return pages;
}

// The object manager allocates before the SmallAllocator object exists: then the boot CPU's heap is
// used directly.
void *kmalloc(u64 bytes)
{
    if (bytes > KMALLOC_MAX)
        return NULL;
    if (bytes > class_bytes(CLASSES - 1))
        return alloc_large(bytes);
    if (small_allocator == 0)
        return alloc(&heaps[0], class_of(bytes));
    return CO_CALL(struct small_heap, small_allocator, alloc, class_of(bytes));
}

void *kzalloc(u64 bytes)
{
    void *object = kmalloc(bytes);

    if (object != NULL)
        memset(object, 0, bytes);
    return object;
}

u64 kmalloc_usable(const void *object)
{
    u8 kind = page_kind[virt_to_phys(object) >> PAGE_SHIFT];

    KASSERT(kind != 0);
    return kind & LARGE ? PAGE_SIZE << (kind & ~LARGE) : class_bytes(kind - 1u);
}

void kfree(void *object)
{
    if (object == NULL)
        return;
    u8 *kind = &page_kind[virt_to_phys(object) >> PAGE_SHIFT];
    if (*kind & LARGE) {
        u32 order = *kind & (u32)~LARGE;
        *kind = 0;
        pages_free(object, order);
    } else if (*kind == 0) {
        panic("kfree of %p, which kmalloc did not give", object);
    } else if (small_allocator == 0) {
        release(&heaps[0], object, *kind - 1u);
    } else {
        CO_CALL(struct small_heap, small_allocator, free, object, *kind - 1u);
    }
}
