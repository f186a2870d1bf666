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

void *kmalloc(u64 bytes)
{
    return malloc(bytes);
}

static struct region_map *with(struct region_map *map, u64 start, u64 end, u64 low, u64 name)
{
    struct region_map *made = region_map_with(
        map, (struct region_range){.start = start, .end = end, .low = low, .region = REGION(name)});

    free(map);
    return made;
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
    free(map);
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
    free(map);
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
    free(map);
}

static void maps_are_replaced_whole(void **state)
{
    struct region_map *map = three();
    struct region_range longer = {
        .start = 0x50000, .end = 0x70000, .low = 0x50000, .region = REGION(2)};
    struct region_map *grown = region_map_replace(map, longer);
    struct region_map *without = region_map_without(grown, REGION(2));

    (void)state;
    assert_int_equal(found(map, 0x68000), 0);
    assert_int_equal(found(grown, 0x68000), 2);
    assert_int_equal(region_map_count(without), 2);
    assert_int_equal(found(without, 0x58000), 0);
    assert_int_equal(found(without, 0x85000), 3);
    free(map);
    free(grown);
    free(without);
}

static void only_wired_regions_may_be_left(void **state)
{
    struct region_map *map = three();

    (void)state;
    map->ranges[1].wired = true;
    struct region_map *wired = region_map_wired(map);
    assert_int_equal(region_map_count(wired), 1);
    assert_int_equal(found(wired, 0x50000), 2);
    free(map);
    free(wired);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_found_in_its_region_only),
        cmocka_unit_test(overlaps_are_seen_guards_included),
        cmocka_unit_test(the_lowest_gap_that_is_large_enough_is_taken),
        cmocka_unit_test(only_wired_regions_may_be_left),
        cmocka_unit_test(maps_are_replaced_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
