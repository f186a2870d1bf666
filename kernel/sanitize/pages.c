// SPDX-License-Identifier: MIT
// Pages: poisoned while nobody has them, and kept for a while when they are freed.
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>
#include <kernel/thread.h>

#include "depot.h"
#include "mem/pages.h"
#include "records.h"
#include "report.h"
#include "shadow.h"

#define QUARANTINE_SHARE 32 // one page in so many of the machine's
#define NO_PAGE 0           // page 0 holds the vectors

static struct page_record *records; // by page number
static u64 most;                    // pages in quarantine

static struct spinlock lock = SPINLOCK_INIT("page quarantine", RANK_PAGES);
static u32 first, last; // page numbers
static u64 held;        // pages

void sanitize_init_records(u64 memory_bytes)
{
    u64 pages = memory_bytes >> PAGE_SHIFT;

    most = pages / QUARANTINE_SHARE;
    records = pages_alloc_zeroed(pages_order(pages * sizeof(*records)));
    if (records == NULL)
        panic("out of memory for the address sanitizer's records of pages");
}

u32 record_thread(void)
{
    const struct thread *thread = thread_current();

    return thread != NULL ? thread_id(thread) : 0;
}

static u32 page_number(const void *pages)
{
    return (u32)(virt_to_phys(pages) >> PAGE_SHIFT);
}

static void *page_at(u32 number)
{
    return phys_to_virt((u64)number << PAGE_SHIFT);
}

struct page_record *pages_record(u64 address, u64 *start)
{
    if (records == NULL || !shadow_is_memory(address))
        return NULL;
    u32 number = page_number((const void *)address);
    u32 base = number & ~((1u << records[number].order) - 1);
    *start = (u64)page_at(base);
    return &records[base];
}

void *sanitize_pages_given(void *pages, u32 order)
{
    if (pages == NULL)
        return NULL;
    shadow_unpoison((u64)pages, PAGE_SIZE << order);
    if (records != NULL) {
        u32 number = page_number(pages);
        for (u32 i = 0; i < 1u << order; i++)
            records[number + i].order = (u8)order; // so that the first page can be found
        struct page_record *record = &records[number];
        record->state = PAGE_GIVEN;
        record->object = false;
        record->allocated = depot_put();
        record->allocating_thread = record_thread();
    }
    return pages;
}

// ---- quarantine ---------------------------------------------------------------------------------

static void append(u32 number, u32 order)
{
    records[number].next = NO_PAGE;
    if (held == 0)
        first = number;
    else
        records[last].next = number;
    last = number;
    held += 1UL << order;
}

// Takes the block that has been there longest, while there is more than `limit`. Returns NO_PAGE if
// nothing has to go.
static u32 take_oldest(u64 limit)
{
    u32 number = NO_PAGE;

    spin_lock(&lock);
    if (held > limit) {
        number = first;
        first = records[number].next;
        held -= 1UL << records[number].order;
    }
    spin_unlock(&lock);
    return number;
}

static bool shrink(u64 limit)
{
    bool some = false;

    for (u32 number; (number = take_oldest(limit)) != NO_PAGE; some = true) {
        u32 order = records[number].order;
        records[number].state = PAGE_RELEASED;
        shadow_poison((u64)page_at(number), PAGE_SIZE << order, SHADOW_PAGE_FREE);
        buddy_free(page_at(number), order);
    }
    return some;
}

// Checks that a whole block is freed, as it was given.
static void check_freed(const void *pages, u32 order, u64 pc)
{
    if (!shadow_is_memory((u64)pages) || (u64)pages % (PAGE_SIZE << order) != 0)
        report_free("no pages", pages, pc);
    const struct page_record *record = &records[page_number(pages)];
    if (record->state == PAGE_QUARANTINED || record->state == PAGE_RELEASED)
        report_free("pages freed twice", pages, pc);
    else if (record->state != PAGE_GIVEN)
        report_free("pages that nobody was given", pages, pc);
    else if (record->order != order)
        report_free("pages of another order", pages, pc);
}

bool sanitize_pages_freed(void *pages, u32 order)
{
    if (records == NULL)
        return false;
    check_freed(pages, order, (u64)__builtin_return_address(0));
    u32 number = page_number(pages);
    records[number].state = PAGE_QUARANTINED;
    records[number].freed = depot_put();
    records[number].freeing_thread = record_thread();
    shadow_poison((u64)pages, PAGE_SIZE << order, SHADOW_PAGE_FREED);
    spin_lock(&lock);
    append(number, order);
    spin_unlock(&lock);
    shrink(most);
    return true;
}

u64 sanitize_pages_quarantined(void)
{
    return held;
}

bool sanitize_pages_drain(void)
{
    return shrink(0);
}
