// SPDX-License-Identifier: MIT
// The sorted list of a space's regions: looking up, gaps, overlaps.
#include <kernel/mem/region_map.h>
#include <kernel/memory.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REGION(n) ((struct region *)(n))

static u64 allocations;
static u64 allocations_left = UINT64_MAX;

void *kmalloc(u64 bytes)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    allocations++;
    return malloc(bytes);
}

void kfree(void *object)
{
    allocations -= object != NULL;
    free(object);
}

// The new map in the place of the old one.
static struct region_map *taken_over(struct region_map *map, struct region_map *made)
{
    if (made != NULL && map != NULL) {
        region_map_retire(map, made);
        region_map_drop(map);
    }
    return made;
}

static int nothing_leaks(void **state)
{
    (void)state;
    return allocations == 0 ? 0 : -1;
}

static struct region_map *with(struct region_map *map, u64 start, u64 end, u64 low, u64 name)
{
    struct region_range range = {.start = start, .end = end, .low = low, .region = REGION(name)};

    return taken_over(map, region_map_with(map, range));
}

// Added out of order; the last has a guard of one page.
static struct region_map *three(void)
{
    struct region_map *map = with(NULL, 0x50000, 0x60000, 0x50000, 2);

    map = with(map, 0x10000, 0x20000, 0x10000, 1);
    return with(map, 0x81000, 0x90000, 0x80000, 3);
}

static u64 found(const struct region_map *map, u64 address)
{
    const struct region_range *range = region_map_find(map, address);

    return range != NULL ? (u64)range->region : 0;
}

static void an_address_is_found_in_its_region_only(void **state)
{
    struct region_map *map = three();

    (void)state;
    assert_int_equal(found(NULL, 0x10000), 0);
    assert_int_equal(found(map, 0xffff), 0);
    assert_int_equal(found(map, 0x10000), 1);
    assert_int_equal(found(map, 0x1ffff), 1);
    assert_int_equal(found(map, 0x20000), 0);
    assert_int_equal(found(map, 0x50000), 2);
    assert_int_equal(found(map, 0x80fff), 0); // the guard
    assert_int_equal(found(map, 0x81000), 3);
    assert_int_equal(found(map, 0x90000), 0);
    region_map_destroy(map);
}

static void overlaps_are_seen_guards_included(void **state)
{
    struct region_map *map = three();

    (void)state;
    assert_true(region_map_free(NULL, 0, 0x1000000, NULL));
    assert_true(region_map_free(map, 0x20000, 0x50000, NULL));
    assert_false(region_map_free(map, 0x1f000, 0x21000, NULL));
    assert_false(region_map_free(map, 0x20000, 0x51000, NULL));
    assert_false(region_map_free(map, 0x0, 0x100000, NULL));
    assert_true(region_map_free(map, 0x60000, 0x80000, NULL));
    assert_false(region_map_free(map, 0x60000, 0x80001, NULL));
    assert_true(region_map_free(map, 0x52000, 0x70000, REGION(2)));
    assert_false(region_map_free(map, 0x52000, 0x81000, REGION(2)));
    region_map_destroy(map);
}

static void the_lowest_gap_that_is_large_enough_is_taken(void **state)
{
    struct region_map *map = three();

    (void)state;
    assert_int_equal(region_map_gap(NULL, 0x10000, 0x100000, 0x1000, 0), 0x10000);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x1000, 0), 0x20000);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x30000, 0), 0x20000);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x30000, 0x1000), 0x91000);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x20000, 0x1000), 0x21000);
    assert_int_equal(region_map_gap(map, 0x30000, 0x100000, 0x30000, 0), 0x90000);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x70001, 0), 0);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x70000, 0), 0x90000);
    assert_int_equal(region_map_gap(map, 0x10000, 0x100000, 0x200000, 0), 0);
    region_map_destroy(map);
}

static void maps_are_replaced_whole(void **state)
{
    struct region_map *map = three();
    struct region_range longer = {
        .start = 0x50000, .end = 0x70000, .low = 0x50000, .region = REGION(2)};
    (void)state;
    struct region_map *grown = region_map_replace(map, longer);
    struct region_map *without = region_map_without(grown, 0x50000);
    assert_int_equal(found(map, 0x68000), 0);
    assert_int_equal(found(grown, 0x68000), 2);
    assert_int_equal(region_map_count(grown), 3);
    assert_int_equal(region_map_count(without), 2);
    assert_int_equal(found(without, 0x58000), 0);
    assert_int_equal(found(without, 0x85000), 3);
    taken_over(map, grown);
    region_map_destroy(taken_over(grown, without));
}

// ---- against a plain array of pages -------------------------------------------------------------

#define PAGE 0x1000UL
#define PAGES 1000
#define ROUNDS 30000

static u64 owners[PAGES]; // the number of the range that has it, guard included; 0: free
static u64 starts[PAGES]; // by number less 1: its first page, and the one behind its last
static u64 ends[PAGES];
static u32 count; // of ranges
static u64 guess;

static u64 owner_at(u64 page, bool with_guard)
{
    u64 owner = owners[page];

    return owner != 0 && (with_guard || page >= starts[owner - 1]) ? owner : 0;
}

// The first page from which so many are free, with a guard below; PAGES: none.
static u64 lowest(u64 from, u64 pages, u64 guard)
{
    u64 run = 0;

    for (u64 page = from; page < PAGES; page++) {
        run = owners[page] == 0 ? run + 1 : 0;
        if (run == pages + guard)
            return page + 1 - pages;
    }
    return PAGES;
}

static void own(u64 low, u64 end, u64 owner)
{
    for (u64 page = low; page < end; page++)
        owners[page] = owner;
}

static void check_page(const struct region_map *map, u64 page)
{
    u64 address = page * PAGE + (u64)rand() % PAGE;
    const struct region_range *again = region_map_find_again(map, address, &guess);

    assert_int_equal(found(map, address), owner_at(page, false));
    assert_ptr_equal(again, region_map_find(map, address));
}

static void check_order(const struct region_map *map)
{
    u64 end = 0;
    u32 seen = 0;
    const struct region_range *range;

    for (u64 place = 0; (range = region_map_next(map, &place)) != NULL;) {
        assert_true(range->low >= end && range->low <= range->start && range->start < range->end);
        assert_int_equal(owner_at(range->start / PAGE, false), (u64)range->region);
        end = range->end;
        seen++;
    }
    assert_int_equal(seen, count);
    assert_int_equal(region_map_count(map), count);
    // As region_map.c says of them.
    u32 parts = map == NULL ? 0 : map->part_count;
    for (u32 i = 0; i + 1 < parts; i++)
        assert_true(map->parts[i].block->count + map->parts[i + 1].block->count > REGION_BLOCK / 2);
}

static struct region_map *add_somewhere(struct region_map *map)
{
    u64 from = (u64)rand() % PAGES, pages = (u64)rand() % 4 + 1, guard = (u64)rand() % 2;
    u64 page = lowest(from, pages, guard), name = 1;
    u64 at = region_map_gap(map, from * PAGE, PAGES * PAGE, pages * PAGE, guard * PAGE);

    assert_int_equal(at, page < PAGES ? page * PAGE : 0);
    if (page == PAGES)
        return map;
    assert_true(region_map_free(map, at - guard * PAGE, at + pages * PAGE, NULL));
    while (ends[name - 1] != 0)
        name++;
    starts[name - 1] = page;
    ends[name - 1] = page + pages;
    own(page - guard, page + pages, name);
    count++;
    struct region_range range = {
        .start = at, .end = at + pages * PAGE, .low = at - guard * PAGE, .region = REGION(name)};
    return taken_over(map, region_map_with(map, range));
}

static struct region_map *shorten_or_remove(struct region_map *map, u64 name)
{
    struct region_range range = *region_map_find(map, starts[name - 1] * PAGE);

    if (rand() % 4 == 0 && ends[name - 1] - starts[name - 1] > 1) {
        ends[name - 1]--;
        owners[ends[name - 1]] = 0;
        range.end -= PAGE;
        return taken_over(map, region_map_replace(map, range));
    }
    own(range.low / PAGE, range.end / PAGE, 0);
    ends[name - 1] = 0;
    count--;
    return taken_over(map, region_map_without(map, range.start));
}

// It fills up, and empties again, several times.
static void maps_follow_an_array_of_pages(void **state)
{
    struct region_map *map = NULL;

    (void)state;
    srand(4713);
    for (u32 round = 0; round < ROUNDS; round++) {
        u64 page = (u64)rand() % PAGES, owner = owner_at(page, true);
        bool fills = round % 6000 < 3000;
        if (owner != 0 && rand() % 4 < (fills ? 1 : 3))
            map = shorten_or_remove(map, owner);
        else if (rand() % 4 < (fills ? 4 : 1))
            map = add_somewhere(map);
        check_page(map, page);
        check_page(map, (u64)rand() % PAGES);
        if (round % 64 == 0)
            check_order(map);
    }
    assert_true(count > 0);
    region_map_destroy(map);
}

static void out_of_memory_changes_nothing(void **state)
{
    struct region_map *map = NULL;
    struct region_range range = {.region = REGION(1)};

    (void)state;
    for (u64 i = 0; i < REGION_BLOCK; i++)
        map = with(map, i * 2 * PAGE, (i * 2 + 1) * PAGE, i * 2 * PAGE, i + 1);
    range.start = range.low = PAGE;
    range.end = 2 * PAGE;
    for (u64 left = 0; left < 3; left++) { // two blocks and a map
        u64 before = allocations;
        allocations_left = left;
        assert_null(region_map_with(map, range));
        assert_int_equal(allocations, before);
    }
    allocations_left = UINT64_MAX;
    assert_int_equal(region_map_count(map), REGION_BLOCK);
    map = taken_over(map, region_map_with(map, range));
    assert_int_equal(found(map, PAGE), 1);
    assert_int_equal(region_map_count(map), REGION_BLOCK + 1);
    region_map_destroy(map);
}

static void only_wired_regions_may_be_left(void **state)
{
    struct region_map *map = three();
    struct region_range range = {
        .start = 0x70000, .end = 0x71000, .low = 0x70000, .region = REGION(4), .wired = true};

    (void)state;
    map = taken_over(map, region_map_with(map, range));
    range.start = range.low = 0x72000;
    range.end = 0x73000;
    map = taken_over(map, region_map_with(map, range));
    allocations_left = 0;
    assert_null(region_map_wired(map));
    allocations_left = UINT64_MAX;
    map = taken_over(map, region_map_wired(map));
    assert_int_equal(region_map_count(map), 2);
    assert_int_equal(found(map, 0x50000), 0);
    assert_int_equal(found(map, 0x70000), 4);
    assert_int_equal(found(map, 0x72000), 4);
    region_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_address_is_found_in_its_region_only, nothing_leaks),
        cmocka_unit_test_teardown(overlaps_are_seen_guards_included, nothing_leaks),
        cmocka_unit_test_teardown(the_lowest_gap_that_is_large_enough_is_taken, nothing_leaks),
        cmocka_unit_test_teardown(only_wired_regions_may_be_left, nothing_leaks),
        cmocka_unit_test_teardown(maps_are_replaced_whole, nothing_leaks),
        cmocka_unit_test_teardown(maps_follow_an_array_of_pages, nothing_leaks),
        cmocka_unit_test_teardown(out_of_memory_changes_nothing, nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
