// SPDX-License-Identifier: MIT
// Slabs: single pages cut into objects of one size class. A slab knows its free objects; those of a
// class that have any are in a list. Bookkeeping is a table by page number, so that objects are
// aligned to their size.
#include "slab.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>
#include <trace/events.h>

struct slab {
    struct free_object *first;
    struct slab *next, *previous; // in the list of its class, when free > 0
    u16 free;                     // objects in the slab's own list
    u16 class;                    // size class + 1; 0: the page is no slab
};

static struct spinlock lock = SPINLOCK_INIT("slabs", RANK_KMALLOC);
static struct slab *slabs; // by page number
static u64 slab_pages[SLAB_CLASSES];
static struct slab *lists[SLAB_CLASSES];

void slab_init(u64 memory_bytes)
{
    slabs = pages_alloc_zeroed(pages_order((memory_bytes >> PAGE_SHIFT) * sizeof(struct slab)));
    if (slabs == NULL)
        panic("out of memory for the table of slabs");
}

static struct slab *slab_of(const void *object)
{
    return &slabs[virt_to_phys(object) >> PAGE_SHIFT];
}

static u64 capacity(u32 class)
{
    return PAGE_SIZE / slab_class_bytes(class);
}

static void list(struct slab *slab, u32 class)
{
    slab->previous = NULL;
    slab->next = lists[class];
    if (slab->next != NULL)
        slab->next->previous = slab;
    lists[class] = slab;
}

static void unlist(struct slab *slab, u32 class)
{
    if (slab->next != NULL)
        slab->next->previous = slab->previous;
    if (slab->previous != NULL)
        slab->previous->next = slab->next;
    else
        lists[class] = slab->next;
}

// Apart, so that callers keep nothing for it.
__attribute__((noinline, cold)) _Noreturn void slab_freed_twice(const void *object, u32 class)
{
    panic("object %p of %lu bytes freed twice", object, slab_class_bytes(class));
}

__attribute__((noinline, cold)) _Noreturn void slab_damaged(u32 class)
{
    panic("the list of free objects of %lu bytes is damaged: one was freed twice, or written when "
          "it was free",
          slab_class_bytes(class));
}

static struct free_object *take_listed(u32 class, u64 most, u64 *count)
{
    struct free_object *taken = NULL;

    spin_lock(&lock);
    for (*count = 0; *count < most && lists[class] != NULL; (*count)++) {
        struct slab *slab = lists[class];
        struct free_object *object = slab->first;
        slab->first = object->next;
        if (--slab->free == 0) {
            if (slab->first != NULL)
                slab_damaged(class);
            unlist(slab, class);
        }
        object->next = taken;
        taken = object;
    }
    spin_unlock(&lock);
    return taken;
}

// All objects of a fresh page.
static struct free_object *cut_page(u32 class, u64 *count)
{
    char *page = memory_for_kernel() ? pages_alloc_for_heap(0) : NULL;
    struct free_object *first = NULL;

    if (page == NULL)
        return NULL;
    sanitize_heap_page(page);
    *slab_of(page) = (struct slab){.class = (u16)(class + 1)};
    trace_kmalloc_slab(slab_class_bytes(class), (u64)page);
    for (u64 at = 0; at < PAGE_SIZE; at += slab_class_bytes(class)) {
        struct free_object *object = (struct free_object *)(page + at);
        object->next = first;
        first = object;
    }
    *count = capacity(class);
    atomic_add(&slab_pages[class], 1);
    return first;
}

struct free_object *slab_take(u32 class, u64 most, u64 *count)
{
    struct free_object *taken = take_listed(class, most, count);

    return taken != NULL ? taken : cut_page(class, count);
}

// Returns the page when this was the last of its objects.
static void *give_one(struct free_object *object, u32 class)
{
    struct slab *slab = slab_of(object);

    KASSERT(slab->class == class + 1);
    object->next = slab->first;
    slab->first = object;
    if (slab->free++ == 0)
        list(slab, class);
    if (slab->free < capacity(class))
        return NULL;
    unlist(slab, class);
    atomic_add(&slab_pages[class], -1UL);
    slab->class = 0;
    return (void *)ALIGN_DOWN((u64)object, PAGE_SIZE);
}

void slab_give(struct free_object *first, u32 class)
{
    struct free_object *pages = NULL; // to free without the lock

    spin_lock(&lock);
    while (first != NULL) {
        struct free_object *next = first->next;
        struct free_object *page = give_one(first, class);
        if (page != NULL) {
            page->next = pages;
            pages = page;
        }
        first = next;
    }
    spin_unlock(&lock);
    while (pages != NULL) {
        struct free_object *next = pages->next;
        pages_free(pages, 0);
        pages = next;
    }
}

s64 slab_class_of(const void *object)
{
    u32 class = slab_of(object)->class;

    return class != 0 ? (s64) class - 1 : E_NOENT;
}

void slab_count(u32 class, u64 *objects, u64 *pages)
{
    u64 free = 0;

    spin_lock(&lock);
    for (const struct slab *slab = lists[class]; slab != NULL; slab = slab->next)
        free += slab->free;
    *pages = __atomic_load_n(&slab_pages[class], __ATOMIC_RELAXED);
    spin_unlock(&lock);
    *objects = *pages * capacity(class) - free;
}
