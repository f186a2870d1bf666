// SPDX-License-Identifier: MIT
// Region maps: what is found is there and what is there is found; a place that is given out is
// free; and each new map is sorted and has exactly the ranges that it should. The code only
// compares addresses, so maps of pages in a row stand for all that lie in the same order.
//
// bounds: maps of 0 to 2 ranges of 1 or 2 pages, with and without a guard page, anywhere in 4
//   pages; all addresses; with memory and without
// proves: find, free and gap as region_map.h says; new maps sorted and complete; no overflow, of
//   unsigned numbers either
// seconds: 20
// quick: yes
// checks: -warn-unsigned-overflow
// eva: -eva-slevel 2000000 -eva-split-return full -eva-min-loop-unroll 16
#include "model/panic.h"
#include "model/proof.h"

#include "mem/region_map.c"

#define PAGES 4
#define BASE 0x100000UL
#define AT(page) (BASE + (page)*PAGE_SIZE)
#define REGION(number) ((struct region *)(0x10UL * (number)))
#define RANGES 2

// ---- memory: maps at the very end of theirs ----------------------------------------------------

static u64 memory[2][32];
static u32 made; // of memory
static bool none;

void *kmalloc(u64 bytes)
{
    //@ check enough: bytes <= sizeof(memory[0]);
    if (none)
        return NULL;
    return (u8 *)memory[made] + sizeof(memory[0]) - bytes;
}

// ---- maps --------------------------------------------------------------------------------------

struct pages {
    u64 low, start, end; // pages; low is start, or a guard page below
};

static struct region_range range_of(struct pages pages, u32 number)
{
    return (struct region_range){.low = AT(pages.low),
                                 .start = AT(pages.start),
                                 .end = AT(pages.end),
                                 .region = REGION(number),
                                 .wired = number == 1};
}

static struct region_map *map_of(const struct pages *pages, u32 count)
{
    made = 0;
    none = false;
    struct region_map *map = region_map_make(count);
    for (u32 i = 0; i < count; i++)
        map->ranges[i] = range_of(pages[i], i + 1);
    made = 1;
    return map;
}

// What the map should say of a page: the number of its range, 0: none.
static u32 range_at(const struct pages *pages, u32 count, u64 page, bool with_guard, u32 except)
{
    for (u32 i = 0; i < count; i++) {
        if (i + 1 != except && page >= (with_guard ? pages[i].low : pages[i].start) &&
            page < pages[i].end)
            return i + 1;
    }
    return 0;
}

static bool is_free(const struct pages *pages, u32 count, u64 low, u64 end, u32 except)
{
    for (u64 page = low; page < end; page++) {
        if (range_at(pages, count, page, true, except) != 0)
            return false;
    }
    return true;
}

// ---- look-ups ----------------------------------------------------------------------------------

static void find_any(const struct region_map *map, const struct pages *pages, u32 count)
{
    for (u64 page = 0; page < PAGES; page++) {
        u64 address = ANY_U64(AT(page), AT(page) + PAGE_SIZE - 1);
        const struct region_range *found = region_map_find(map, address);
        u32 number = range_at(pages, count, page, false, 0);
        const struct region_range *right = number == 0 ? NULL : &map->ranges[number - 1];
        //@ check found_what_is_there: found == right;
    }
    const struct region_range *below = region_map_find(map, ANY_U64(0, BASE - 1));
    const struct region_range *above = region_map_find(map, ANY_U64(AT(PAGES), UINT64_MAX));
    //@ check nothing_outside: below == \null && above == \null;
}

static void free_any(const struct region_map *map, const struct pages *pages, u32 count)
{
    for (u64 low = 0; low < PAGES; low++) {
        for (u64 end = low + 1; end <= PAGES; end++) {
            for (u32 except = 0; except <= count; except++) {
                bool free =
                    region_map_free(map, AT(low), AT(end), except == 0 ? NULL : REGION(except));
                bool right = is_free(pages, count, low, end, except);
                //@ check free_when_nothing_is_there: free == right;
            }
        }
    }
}

// The lowest page where they fit, or PAGES.
static u64 lowest(const struct pages *pages, u32 count, u64 from, u64 bytes, u64 guard)
{
    for (u64 page = from + guard; page + bytes <= PAGES; page++) {
        if (is_free(pages, count, page - guard, page + bytes, 0))
            return page;
    }
    return PAGES;
}

static void gap_any(const struct region_map *map, const struct pages *pages, u32 count)
{
    for (u64 from = 0; from <= 1; from++) {
        for (u64 bytes = 1; bytes <= 3; bytes += 2) {
            for (u64 guard = 0; guard <= 1; guard++) {
                u64 found =
                    region_map_gap(map, AT(from), AT(PAGES), bytes * PAGE_SIZE, guard * PAGE_SIZE);
                u64 page = lowest(pages, count, from, bytes, guard);
                u64 right = page == PAGES ? 0 : AT(page);
                //@ check lowest_place_that_is_free: found == right;
            }
        }
    }
    u64 none_there =
        region_map_gap(map, AT(0), AT(PAGES), ANY_U64(PAGES * PAGE_SIZE + 1, UINT64_MAX), 0);
    //@ check not_more_than_there_is: none_there == 0;
}

// ---- new maps ----------------------------------------------------------------------------------

static void check_sorted(const struct region_map *map)
{
    for (u32 i = 0; i < map->count; i++) {
        u64 low = map->ranges[i].low, end = map->ranges[i].end;
        u64 before = i == 0 ? 0 : map->ranges[i - 1].end;
        //@ check sorted: before <= low && low < end;
    }
}

static void check_found(const struct region_map *map, u64 page, u32 number)
{
    const struct region_range *found = region_map_find(map, AT(page));
    const struct region *region = found == NULL ? NULL : found->region;
    const struct region *right = number == 0 ? NULL : REGION(number);
    //@ check same_as_before_but_for_the_change: region == right;
}

static bool there(const struct region_map *made_map)
{
    if (made_map == NULL) {
        //@ check only_without_memory: none == 1;
        return false;
    }
    check_sorted(made_map);
    return true;
}

static void with_any(const struct region_map *map, const struct pages *pages, u32 count)
{
    for (u64 page = 0; page < PAGES; page++) {
        if (!is_free(pages, count, page, page + 1, 0))
            continue;
        struct pages more = {page, page, page + 1};
        const struct region_map *with = region_map_with(map, range_of(more, 9));
        if (!there(with))
            continue;
        //@ check one_more: with->count == count + 1;
        for (u64 i = 0; i < PAGES; i++)
            check_found(with, i, i == page ? 9 : range_at(pages, count, i, false, 0));
    }
}

static void change_each(const struct region_map *map, const struct pages *pages, u32 count)
{
    for (u32 number = 1; number <= count; number++) {
        const struct region_map *without = region_map_without(map, REGION(number));
        if (there(without)) {
            //@ check one_less: without->count == count - 1;
            for (u64 i = 0; i < PAGES; i++)
                check_found(without, i, range_at(pages, count, i, false, number));
        }
        struct pages less = pages[number - 1];
        less.end = less.start + 1;
        const struct region_map *replaced = region_map_replace(map, range_of(less, number));
        if (there(replaced)) {
            //@ check as_many: replaced->count == count;
            check_found(replaced, less.start, number);
        }
    }
    const struct region_map *wired = map == NULL ? NULL : region_map_wired(map);
    if (map != NULL && there(wired)) {
        //@ check only_the_wired: wired->count == (count > 0 ? 1 : 0);
        for (u64 i = 0; i < PAGES; i++)
            check_found(wired, i, range_at(pages, count, i, false, 0) == 1 ? 1 : 0);
    }
}

// ---- every map ---------------------------------------------------------------------------------

static void any_operation(const struct region_map *map, const struct pages *pages, u32 count)
{
    none = false;
    find_any(map, pages, count);
    free_any(map, pages, count);
    gap_any(map, pages, count);
    with_any(map, pages, count);
    change_each(map, pages, count);
    none = true;
    with_any(map, pages, count);
    change_each(map, pages, count);
}

// The next range of 1 or 2 pages behind `from`, with a guard page or without, and so on.
static void two_ranges(struct pages first)
{
    struct pages pages[RANGES] = {first};

    for (u64 low = first.end; low < PAGES; low++) {
        for (u64 guard = 0; guard <= 1 && low + guard < PAGES; guard++) {
            pages[1] = (struct pages){low, low + guard, low + guard + 1};
            any_operation(map_of(pages, 2), pages, 2);
        }
    }
}

static void one_range(void)
{
    for (u64 low = 0; low < PAGES; low++) {
        for (u64 guard = 0; guard <= 1; guard++) {
            for (u64 end = low + guard + 1; end <= low + guard + 2 && end <= PAGES; end++) {
                struct pages pages = {low, low + guard, end};
                any_operation(map_of(&pages, 1), &pages, 1);
                two_ranges(pages);
            }
        }
    }
}

int main(void)
{
    const struct pages nothing = {0};

    any_operation(NULL, &nothing, 0);
    any_operation(map_of(&nothing, 0), &nothing, 0);
    one_range();
    //@ check reached_end: \false;
    return 0;
}
