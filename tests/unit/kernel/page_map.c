// SPDX-License-Identifier: MIT
// The radix tree of an object's pages against a plain table.
#include <kernel/mem/page_map.h>
#include <kernel/mem/pm.h>
#include <kernel/memory.h>
#include <orrery/errors.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGES 5000
#define ROUNDS 3000

static u64 fail_after = UINT64_MAX; // allocations that still succeed

void *kzalloc(u64 bytes)
{
    if (fail_after == 0)
        return NULL;
    fail_after--;
    return calloc(1, bytes);
}

void kfree(void *object)
{
    free(object);
}

static u64 charged, limit = UINT64_MAX; // pages

s64 pm_charge(struct pm *pm)
{
    (void)pm;
    if (charged == limit)
        return E_LIMIT;
    charged++;
    return 0;
}

void pm_uncharge(struct pm *pm)
{
    (void)pm;
    charged--;
}

void spin_init(struct spinlock *lock, const char *name, enum lock_rank rank)
{
    *lock = (struct spinlock)SPINLOCK_INIT(name, rank);
}

static int start(void **state)
{
    static struct page_map map;

    fail_after = UINT64_MAX;
    limit = UINT64_MAX;
    page_map_init(&map, RANK_FCM, NULL);
    *state = &map;
    return 0;
}

static int end(void **state)
{
    page_map_uncharge(*state);
    assert_int_equal(charged, 0);
    page_map_destroy(*state);
    return 0;
}

static void pages_are_found_where_they_were_put(void **state)
{
    struct page_map *map = *state;
    static u64 model[PAGES];

    for (u64 i = 0; i < ROUNDS; i++) {
        u64 page = (u64)rand() % PAGES;
        struct page_leaf *leaf = page_map_get(map, page);
        assert_non_null(leaf);
        *page_map_entry(leaf, page) = model[page] = i + 1;
    }
    for (u64 page = 0; page < PAGES; page++) {
        struct page_leaf *leaf = page_map_find(map, page);
        assert_int_equal(leaf != NULL ? *page_map_entry(leaf, page) : 0, model[page]);
    }
}

static void the_map_grows_upwards_from_any_page(void **state)
{
    struct page_map *map = *state;
    static const u64 pages[] = {77, 0, 3000, 1UL << 20, 1UL << 34, (1UL << 35) - 1, 5};

    for (u32 i = 0; i < ARRAY_SIZE(pages); i++)
        *page_map_entry(page_map_get(map, pages[i]), pages[i]) = i + 1;
    for (u32 i = 0; i < ARRAY_SIZE(pages); i++) {
        assert_int_equal(*page_map_entry(page_map_find(map, pages[i]), pages[i]), i + 1);
        assert_int_equal(page_map_find(map, pages[i])->first, ALIGN_DOWN(pages[i], 32UL));
    }
    assert_null(page_map_find(map, 1UL << 30));
}

static void next_visits_every_leaf_once_in_order(void **state)
{
    struct page_map *map = *state;
    static const u64 firsts[] = {0, 32, 4096, 1UL << 21, 1UL << 30};
    struct page_leaf *leaf;
    u32 seen = 0;

    assert_null(page_map_next(map, 0));
    for (u32 i = ARRAY_SIZE(firsts); i > 0; i--)
        assert_non_null(page_map_get(map, firsts[i - 1] + 7));
    for (u64 page = 0; (leaf = page_map_next(map, page)) != NULL; page = leaf->first + 32)
        assert_int_equal(leaf->first, firsts[seen++]);
    assert_int_equal(seen, ARRAY_SIZE(firsts));
    assert_int_equal(page_map_next(map, 63)->first, 32);
    assert_int_equal(page_map_next(map, 64)->first, 4096);
    assert_null(page_map_next_before(map, 64, 4096));
    assert_non_null(page_map_next_before(map, 64, 4097));
}

static void flags_change_in_the_range_only(void **state)
{
    struct page_map *map = *state;

    assert_true(page_map_set_flags(map, NULL, 10, 60, 0, ENTRY_PROT_SET | 5, true));
    for (u64 page = 0; page < 96; page++) {
        u64 entry = *page_map_entry(page_map_find(map, page), page);
        assert_int_equal(entry, page >= 10 && page < 70 ? ENTRY_PROT_SET | 5 : 0);
    }
    assert_true(page_map_set_flags(map, NULL, 0, 1000, ENTRY_PROT | ENTRY_PROT_SET, 0, false));
    assert_null(page_map_find(map, 96)); // nothing was made
    assert_int_equal(*page_map_entry(page_map_find(map, 40), 40), 0);
}

static void without_memory_nothing_is_added(void **state)
{
    struct page_map *map = *state;

    for (u64 allowed = 0; allowed < 4; allowed++) {
        fail_after = allowed;
        assert_null(page_map_get(map, 100000));
        assert_null(page_map_find(map, 100000));
        fail_after = UINT64_MAX;
        page_map_destroy(map);
    }
    assert_non_null(page_map_get(map, 100000));
}

static void nodes_are_paid_for(void **state)
{
    struct page_map *map = *state;
    u64 page = 0;

    limit = 100;
    while (page_map_get(map, page << 11) != NULL)
        page++;
    assert_int_equal(charged, limit);
    assert_in_range(map->nodes, 8 * (limit - 3), 8 * limit);
    assert_non_null(page_map_get(map, 0)); // what is there costs nothing
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_are_found_where_they_were_put, start, end),
        cmocka_unit_test_setup_teardown(the_map_grows_upwards_from_any_page, start, end),
        cmocka_unit_test_setup_teardown(next_visits_every_leaf_once_in_order, start, end),
        cmocka_unit_test_setup_teardown(flags_change_in_the_range_only, start, end),
        cmocka_unit_test_setup_teardown(nodes_are_paid_for, start, end),
        cmocka_unit_test_setup_teardown(without_memory_nothing_is_added, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
