// SPDX-License-Identifier: MIT
// The PageAllocator object: a representative a CPU keeps a stock of single pages in front of
// the buddy lists, so that most allocations touch no shared memory.
#include "failing.h"
#include "fcm.h"
#include "pages.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/sanitize.h>
#include <kernel/startup.h>
#include <kernel/softmask.h>
#include <string.h>
#include <trace/events.h>

#include "proc/services.h"

#define STOCK_MAX 64
#define STOCK_BATCH 32

struct page_stock;

struct page_allocator_ops {
    struct co_ops base;
    void *(*alloc)(struct page_stock *self, u32 order);
    s64 (*free)(struct page_stock *self, void *pages, u32 order);
};

struct page_stock {
    CO_REP(struct page_allocator_ops);
    u32 count;
    void *pages[STOCK_MAX];
    u64 allocations, frees, failures;
};

static struct page_stock stocks[ORRERY_MAX_CPUS];
static struct co_root root;
static coid_t page_allocator;

// Soft-masked.
static void *take_single(struct page_stock *stock)
{
    stock->count += buddy_alloc_singles(&stock->pages[stock->count], STOCK_BATCH - stock->count);
    return stock->count == 0 ? NULL : stock->pages[--stock->count];
}

// Soft-masked.
static void put_single(struct page_stock *stock, void *page)
{
    if (stock->count == STOCK_MAX) {
        stock->count -= STOCK_BATCH;
        buddy_free_singles(&stock->pages[stock->count], STOCK_BATCH);
    }
    stock->pages[stock->count++] = page;
}

static CO_METHOD void *page_allocator_alloc(struct page_stock *self, u32 order)
{
    CO_HOME(self);
    u8 masked = soft_mask();
    void *pages;

    if (order == 0)
        pages = self->count > 0 ? self->pages[--self->count] : take_single(self);
    else
        pages = order <= PAGES_MAX_ORDER ? buddy_alloc(order) : NULL;
    self->allocations++;
    if (pages == NULL)
        self->failures++;
    trace_page_alloc((u64)pages, order);
    soft_mask_restore(masked);
    return pages;
}

static CO_METHOD s64 page_allocator_release(struct page_stock *self, void *pages, u32 order)
{
    CO_HOME(self);
    u8 masked = soft_mask();

    trace_page_free((u64)pages, order);
    self->frees++;
    if (sanitize_pages_freed(pages, order))
        ; // kept for a while
    else if (order == 0)
        put_single(self, pages);
    else
        buddy_free(pages, order);
    soft_mask_restore(masked);
    return 0;
}

static const struct page_allocator_ops ops = {CO_LEAF, page_allocator_alloc,
                                              page_allocator_release};
static struct co_class class = {
    .name = "PageAllocator",
    .implementation = "BuddyWithStocks",
    .size = sizeof(root) + sizeof(stocks[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = stocks,
    .static_rep_size = sizeof(stocks[0]),
};

void page_allocator_init(void)
{
    page_allocator = service_create(&class, &root, NULL);
}

// A CPU's first use misses, for which the object manager takes its locks; so it is made before this
// CPU can be in need of a page with another lock held.
void page_allocator_init_cpu(void)
{
    void *page = pages_alloc(0);

    if (page != NULL)
        pages_free(page, 0);
}

// The object manager's own memory comes from here, so until the object exists set-up takes pages
// from the buddy lists directly.
static inline __attribute__((always_inline)) void *take_pages(u32 order)
{
    if (page_allocator == 0)
        return sanitize_pages_given(buddy_alloc(order), order);
    return sanitize_pages_given(CO_CALL(struct page_stock, page_allocator, alloc, order), order);
}

// Apart, so that what is not counted keeps nothing for this.
static __attribute__((noinline)) void *pages_alloc_counted(u32 order)
{
    return memory_fails() ? NULL : take_pages(order);
}

void *pages_alloc(u32 order)
{
    MEMORY_POINT(counted);
    return take_pages(order);
counted:
    return pages_alloc_counted(order);
}

void *pages_alloc_for_heap(u32 order)
{
    return take_pages(order);
}

static void *zeroed(void *pages, u32 order)
{
    for (u64 at = 0; pages != NULL && at < PAGE_SIZE << order; at += PAGE_SIZE)
        frame_zero(virt_to_phys(pages) + at);
    return pages;
}

void *pages_alloc_zeroed(u32 order)
{
    MEMORY_POINT(counted);
    return zeroed(take_pages(order), order);
counted:
    return memory_fails() ? NULL : zeroed(take_pages(order), order);
}

void pages_free(void *pages, u32 order)
{
    if (page_allocator == 0) {
        if (!sanitize_pages_freed(pages, order))
            buddy_free(pages, order);
    } else {
        CO_CALL(struct page_stock, page_allocator, free, pages, order);
    }
}

void pages_stat(struct pages_stat *stat)
{
    sanitize_heap_drain();
    *stat = (struct pages_stat){.total = buddy_total_pages(), .free = buddy_free_pages()};
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        stat->free += stocks[cpu].count;
        stat->allocations += stocks[cpu].allocations;
        stat->frees += stocks[cpu].frees;
        stat->failures += stocks[cpu].failures;
    }
}
