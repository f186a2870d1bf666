// SPDX-License-Identifier: MIT
// The buddy lists against a model: which page belongs to whom.
#include <kernel/memory.h>
#include <kernel/options.h>
#include <kernel/mem/pages.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MEMORY (64UL << 20)
#define FIRST_FREE (1UL << 20)
#define BLOCKS 400
#define ROUNDS 20000

static void *memory;
struct boot_options boot_options;

static int start(void **state)
{
    (void)state;
    memory = aligned_alloc(PAGE_SIZE << PAGES_MAX_ORDER, MEMORY);
    host_memory = (u64)memory;
    pages_init(MEMORY, FIRST_FREE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

struct block {
    u8 *pages;
    u32 order;
};

static u8 mark_of(const struct block *block)
{
    return (u8)(((u64)block->pages >> PAGE_SHIFT) * 31 + block->order);
}

static void take(struct block *block, u32 order)
{
    block->order = order;
    block->pages = buddy_alloc(order);
    if (block->pages == NULL)
        return;
    u64 offset = (u64)(block->pages - (u8 *)memory);
    assert_true(offset >= FIRST_FREE && offset + (PAGE_SIZE << order) <= MEMORY);
    assert_int_equal(offset & ((PAGE_SIZE << order) - 1), 0);
    memset(block->pages, mark_of(block), PAGE_SIZE << order);
}

static void give_back(struct block *block)
{
    if (block->pages == NULL)
        return;
    for (u64 at = 0; at < PAGE_SIZE << block->order; at += 512)
        assert_int_equal(block->pages[at], mark_of(block));
    buddy_free(block->pages, block->order);
    block->pages = NULL;
}

static void blocks_never_overlap_and_all_come_back(void **state)
{
    (void)state;
    static struct block blocks[BLOCKS];
    u64 before = buddy_free_pages();
    srand(4711);
    for (u32 round = 0; round < ROUNDS; round++) {
        struct block *block = &blocks[rand() % BLOCKS];
        if (block->pages != NULL)
            give_back(block);
        else
            take(block, (u32)rand() % 7);
    }
    for (u32 i = 0; i < BLOCKS; i++)
        give_back(&blocks[i]);
    assert_int_equal(buddy_free_pages(), before);
}

static void buddies_join_to_the_largest_blocks_again(void **state)
{
    (void)state;
    u64 pages = buddy_free_pages();
    void **singles = calloc(pages, sizeof(*singles));
    for (u64 i = 0; i < pages; i++)
        assert_non_null(singles[i] = buddy_alloc(0));
    assert_null(buddy_alloc(0));
    assert_int_equal(buddy_free_pages(), 0);
    for (u64 i = 0; i < pages; i++)
        buddy_free(singles[i], 0);
    free(singles);
    for (u32 i = 0; i < MEMORY / (PAGE_SIZE << PAGES_MAX_ORDER) - 1; i++)
        assert_non_null(buddy_alloc(PAGES_MAX_ORDER));
    assert_null(buddy_alloc(PAGES_MAX_ORDER));
}

static void a_page_freed_twice_panics(void **state)
{
    (void)state;
    void *page = buddy_alloc(0);
    void *keeps_it_single = buddy_alloc(0);
    buddy_free(page, 0);
    expect_assert_failure(buddy_free(page, 0));
    (void)keeps_it_single;
}

// Behind the links of the free list.
static void freed_pages_are_spoilt_when_asked(void **state)
{
    (void)state;
    u8 *page = buddy_alloc(0);
    void *keeps_it_single = buddy_alloc(0);
    memset(page, 0x11, PAGE_SIZE);
    buddy_free(page, 0);
    assert_int_equal(page[100], 0x11);
    page = buddy_alloc(0);
    boot_options.poison = true;
    memset(page, 0x11, PAGE_SIZE);
    buddy_free(page, 0);
    boot_options.poison = false;
    for (u64 at = 16; at < PAGE_SIZE; at++)
        assert_int_equal(page[at], 0xdb);
    (void)keeps_it_single;
}

static void orders_hold_what_is_asked(void **state)
{
    (void)state;
    assert_int_equal(pages_order(1), 0);
    assert_int_equal(pages_order(4096), 0);
    assert_int_equal(pages_order(4097), 1);
    assert_int_equal(pages_order(16UL << 20), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_never_overlap_and_all_come_back, start, end),
        cmocka_unit_test_setup_teardown(buddies_join_to_the_largest_blocks_again, start, end),
        cmocka_unit_test_setup_teardown(freed_pages_are_spoilt_when_asked, start, end),
        cmocka_unit_test_setup_teardown(a_page_freed_twice_panics, start, end),
        cmocka_unit_test(orders_hold_what_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
