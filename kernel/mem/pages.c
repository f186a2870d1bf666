// SPDX-License-Identifier: MIT
// Physical pages: binary buddies of 4 KB to 16 MB behind one lock, and in front of them a
// stock of single pages a CPU. The PageAllocator object (page_allocator.c) gives each CPU its
// representative; before objects exist the boot CPU's stock is used directly.
#include "pages.h"

#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>
#include <string.h>

#define NOT_FREE 0xff

struct free_block {
    struct free_block *next, *previous;
};

static struct spinlock lock = SPINLOCK_INIT("pages", RANK_PAGES);
static struct free_block lists[PAGES_MAX_ORDER + 1]; // circular, with heads
static u8 *free_order; // by page number: order of the free block that starts there, or NOT_FREE
static u64 page_limit; // page numbers are below it
static u64 total_pages;
u64 buddy_pages_now; // free

static u64 page_number(const void *page)
{
    return virt_to_phys(page) >> PAGE_SHIFT;
}

static void insert(u64 number, u32 order)
{
    struct free_block *block = phys_to_virt(number << PAGE_SHIFT);
    struct free_block *head = &lists[order];

    block->next = head->next;
    block->previous = head;
    head->next->previous = block;
    head->next = block;
    free_order[number] = (u8)order;
}

static void take_out(u64 number)
{
    struct free_block *block = phys_to_virt(number << PAGE_SHIFT);

    block->next->previous = block->previous;
    block->previous->next = block->next;
    free_order[number] = NOT_FREE;
}

u64 buddy_free_pages(void)
{
    return buddy_pages_now + sanitize_pages_quarantined();
}

u64 buddy_total_pages(void)
{
    return total_pages;
}

// Takes a block. Returns NULL if there is none so large. With the lock held.
static void *take_block(u32 order)
{
    u32 found = order;

    while (found <= PAGES_MAX_ORDER && lists[found].next == &lists[found])
        found++;
    if (found > PAGES_MAX_ORDER)
        return NULL;
    void *block = lists[found].next;
    u64 number = page_number(block);
    take_out(number);
    while (found > order) {
        found--;
        insert(number + (1UL << found), found);
    }
    buddy_pages_now -= 1UL << order;
    return block;
}

void *buddy_alloc(u32 order)
{
    void *block;

    do {
        spin_lock(&lock);
        block = take_block(order);
        spin_unlock(&lock);
    } while (block == NULL && sanitize_pages_drain());
    return block;
}

// Takes up to count pages, from whole blocks, the smallest first. Returns how many. With the lock
// held.
static u32 take_singles(void **pages, u32 count)
{
    u32 taken = 0;

    while (taken < count) {
        u32 order = 0;
        while (order < PAGES_MAX_ORDER && lists[order].next == &lists[order] &&
               2UL << order <= count - taken)
            order++;
        char *block = take_block(order);
        if (block == NULL)
            break;
        for (u64 at = 0; at < PAGE_SIZE << order; at += PAGE_SIZE)
            pages[taken++] = block + at;
    }
    return taken;
}

u32 buddy_alloc_singles(void **pages, u32 count)
{
    u32 taken;

    do {
        spin_lock(&lock);
        taken = take_singles(pages, count);
        spin_unlock(&lock);
    } while (taken == 0 && sanitize_pages_drain());
    return taken;
}

// Joins the block with its buddy for as long as that one is free too.
static void insert_joined(u64 number, u32 order)
{
    while (order < PAGES_MAX_ORDER) {
        u64 buddy = number ^ (1UL << order);
        if (buddy >= page_limit || free_order[buddy] != order)
            break;
        take_out(buddy);
        number &= ~(1UL << order);
        order++;
    }
    insert(number, order);
}

static void spoil(void *block, u32 order)
{
    u64 number = page_number(block);

    KASSERT(order <= PAGES_MAX_ORDER && number < page_limit);
    KASSERT((number & ((1UL << order) - 1)) == 0);
    if (boot_options.poison)
        memset(block, JUNK_PAGES, PAGE_SIZE << order);
}

// Frees a block, joined with its free neighbours. The caller holds the lock.
static void put_block(void *block, u32 order)
{
    u64 number = page_number(block);

    if (free_order[number] != NOT_FREE)
        panic("page %#lx freed twice", number << PAGE_SHIFT);
    insert_joined(number, order);
    buddy_pages_now += 1UL << order;
}

void buddy_free(void *block, u32 order)
{
    spoil(block, order);
    spin_lock(&lock);
    put_block(block, order);
    spin_unlock(&lock);
}

void buddy_free_singles(void *const *pages, u32 count)
{
    for (u32 i = 0; i < count; i++)
        spoil(pages[i], 0);
    spin_lock(&lock);
    for (u32 i = 0; i < count; i++)
        put_block(pages[i], 0);
    spin_unlock(&lock);
}

// The largest aligned blocks that fit, one after the other. Only their first pages are touched, so
// that memory that is not used costs the host nothing.
static void insert_range(u64 number, u64 end)
{
    while (number < end) {
        u32 order = 0;
        while (order < PAGES_MAX_ORDER && (number & ((2UL << order) - 1)) == 0 &&
               number + (2UL << order) <= end)
            order++;
        insert(number, order);
        number += 1UL << order;
    }
}

void pages_init(u64 memory_bytes, u64 first_free)
{
    u64 hole, hole_end; // that the sanitizer needs

    sanitize_init(memory_bytes, first_free, &hole, &hole_end);
    page_limit = memory_bytes >> PAGE_SHIFT;
    free_order = phys_to_virt(first_free);
    sanitize_reserve(first_free, first_free + page_limit);
    memset(free_order, NOT_FREE, page_limit);
    for (u32 order = 0; order <= PAGES_MAX_ORDER; order++)
        lists[order].next = lists[order].previous = &lists[order];
    u64 first = ALIGN_UP(first_free + page_limit, PAGE_SIZE) >> PAGE_SHIFT;
    insert_range(first, hole >> PAGE_SHIFT);
    if (hole_end != memory_bytes)
        insert_range(hole_end >> PAGE_SHIFT, page_limit);
    total_pages = buddy_pages_now = page_limit - first - ((hole_end - hole) >> PAGE_SHIFT);
}

u32 pages_order(u64 bytes)
{
    u32 order = 0;

    while ((PAGE_SIZE << order) < bytes)
        order++;
    return order;
}
