// SPDX-License-Identifier: MIT
// Region maps: what is found is there and what is there is found; a place that is given out is
// free; and each new map is sorted and has exactly the ranges that it should. The code only
// compares addresses, so maps of pages in a row stand for all that lie in the same order.
//
// bounds: maps of 0 to 2 ranges of 1 or 2 pages, with and without a guard page, anywhere in 4
//   pages, in one block or in two of at most two ranges; all addresses; with memory, without, and
//   with too little
// proves: find, free and gap as region_map.h says; new maps sorted and complete; no overflow, of
//   unsigned numbers either
// seconds: 45
// quick: yes
// checks: -warn-unsigned-overflow
// eva: -eva-slevel 2000000 -eva-split-return full -eva-min-loop-unroll 16
#include "model/panic.h"
#include "model/proof.h"

#define REGION_BLOCK 2
#include "mem/region_map.c"

#define PAGES 4
#define BASE 0x100000UL
#define AT(page) (BASE + (page)*PAGE_SIZE)
#define REGION(number) ((struct region *)(0x10UL * (number)))
#define RANGES 2

// ---- memory: maps and blocks at the very end of theirs -----------------------------------------

#define PIECES 6
static u64 memory[PIECES][40];
static bool used[PIECES];
static u32 left; // pieces that can still be had

void *kmalloc(u64 bytes)
{
    u32 i = 0;

    //@ check enough: bytes <= sizeof(memory[0]);
    if (left == 0)
        return NULL;
    left--;
    while (used[i])
        i++;
    used[i] = true;
    return (u8 *)memory[i] + sizeof(memory[0]) - bytes;
}

void kfree(void *object)
{
    u32 i = 0;

    if (object == NULL)
        return;
    while (i < PIECES && ((u64 *)object < memory[i] || (u64 *)object >= memory[i] + 40))
        i++;
    //@ check freed_once: i < PIECES && used[i] == 1;
    used[i % PIECES] = false;
}

static u32 pieces_used(void)
{
    u32 count = 0;

    for (u32 i = 0; i < PIECES; i++)
        count += used[i];
    return count;
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
    struct region_map *map = NULL;

    for (u32 i = 0; i < PIECES; i++)
        used[i] = false;
    left = PIECES;
    for (u32 i = 0; i < count; i++) {
        struct region_map *more = region_map_with(map, range_of(pages[i], i + 1));
        if (map != NULL) {
            region_map_retire(map, more);
            region_map_drop(map);
        }
        map = more;
    }
    return map;
}

// The same with a block for each of several ranges.
static struct region_map *map_of_blocks(const struct pages *pages, u32 count)
{
    for (u32 i = 0; i < PIECES; i++)
        used[i] = false;
    left = PIECES;
    struct region_map *map = make_map(count);
    map->count = count;
    for (u32 i = 0; i < count; i++) {
        struct region_range range = range_of(pages[i], i + 1);
        struct edit edit = {.put_in = &range};
        map->parts[i] = part_of(make_block(&edit, 0, 1));
    }
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
        u64 name = found == NULL ? 0 : (u64)found->region;
        u64 right = number == 0 ? 0 : (u64)REGION(number);
        //@ check found_what_is_there: name == right;
        u64 guess = ANY_U64(0, 3) << REGION_PLACE_BITS | ANY_U64(0, 3);
        const struct region_range *again = region_map_find_again(map, address, &guess);
        //@ check found_again: again == found;
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

static void check_sorted(const struct region_map *map, u32 count)
{
    u64 before = 0;
    u32 seen = 0;
    const struct region_range *range;

    for (u64 place = 0; (range = region_map_next(map, &place)) != NULL;) {
        u64 low = range->low, end = range->end;
        //@ check sorted: before <= low && low < end;
        before = end;
        seen++;
    }
    u32 counted = region_map_count(map);
    //@ check complete: seen == count && counted == count;
}

static void check_found(const struct region_map *map, u64 page, u32 number)
{
    const struct region_range *found = region_map_find(map, AT(page));
    const struct region *region = found == NULL ? NULL : found->region;
    const struct region *right = number == 0 ? NULL : REGION(number);
    //@ check same_as_before_but_for_the_change: region == right;
}

// Whether a new map is there, with so many ranges. Without, nothing has been kept.
static bool there(const struct region_map *made, u32 count, u32 before)
{
    if (made == NULL) {
        u32 now = pieces_used();
        //@ check only_without_memory: left == 0 && now == before;
        return false;
    }
    check_sorted(made, count);
    return true;
}

// The new map, and nothing else, is left; then the old one is made again.
static void take_over(struct region_map *map, struct region_map *made)
{
    if (map != NULL) {
        region_map_retire(map, made);
        region_map_drop(map);
    }
    region_map_destroy(made);
    u32 now = pieces_used();
    //@ check memory_balanced: now == 0;
}

// How the map is made, and how many pieces of memory the operation gets.
struct way {
    bool blocks;
    u32 pieces;
};

static struct region_map *begin(const struct pages *pages, u32 count, struct way way)
{
    struct region_map *map = way.blocks ? map_of_blocks(pages, count) : map_of(pages, count);
    left = way.pieces;
    return map;
}

static void with_any(const struct pages *pages, u32 count, struct way way)
{
    for (u64 page = 0; page < PAGES; page++) {
        if (!is_free(pages, count, page, page + 1, 0))
            continue;
        struct pages more = {page, page, page + 1};
        struct region_map *map = begin(pages, count, way);
        u32 before = pieces_used();
        struct region_map *with = region_map_with(map, range_of(more, 9));
        if (!there(with, count + 1, before))
            continue;
        for (u64 i = 0; i < PAGES; i++)
            check_found(with, i, i == page ? 9 : range_at(pages, count, i, false, 0));
        take_over(map, with);
    }
}

static void without_each(const struct pages *pages, u32 count, struct way way)
{
    for (u32 number = 1; number <= count; number++) {
        struct region_map *map = begin(pages, count, way);
        u32 before = pieces_used();
        struct region_map *without = region_map_without(map, AT(pages[number - 1].start));
        if (!there(without, count - 1, before))
            continue;
        for (u64 i = 0; i < PAGES; i++)
            check_found(without, i, range_at(pages, count, i, false, number));
        take_over(map, without);
    }
}

static void replace_each(const struct pages *pages, u32 count, struct way way)
{
    for (u32 number = 1; number <= count; number++) {
        struct region_map *map = begin(pages, count, way);
        u32 before = pieces_used();
        struct pages less = pages[number - 1];
        less.end = less.start + 1;
        struct region_map *replaced = region_map_replace(map, range_of(less, number));
        if (!there(replaced, count, before))
            continue;
        check_found(replaced, less.start, number);
        take_over(map, replaced);
    }
}

static void leave_wired(const struct pages *pages, u32 count, struct way way)
{
    struct region_map *map = begin(pages, count, way);
    u32 before = pieces_used();
    struct region_map *wired = region_map_wired(map);

    if (!there(wired, count > 0 ? 1 : 0, before))
        return;
    for (u64 i = 0; i < PAGES; i++)
        check_found(wired, i, range_at(pages, count, i, false, 0) == 1 ? 1 : 0);
    take_over(map, wired);
}

// ---- every map ---------------------------------------------------------------------------------

static void any_operation(const struct pages *pages, u32 count)
{
    for (u32 blocks = 0; blocks <= (u32)(count > 1); blocks++) {
        struct way way = {blocks == 1, 0};
        const struct region_map *map = begin(pages, count, way);
        find_any(map, pages, count);
        free_any(map, pages, count);
        gap_any(map, pages, count);
        for (way.pieces = 0; way.pieces <= 3; way.pieces++) {
            with_any(pages, count, way);
            without_each(pages, count, way);
            replace_each(pages, count, way);
            leave_wired(pages, count, way);
        }
    }
}

// The next range of 1 or 2 pages behind `from`, with a guard page or without, and so on.
static void two_ranges(struct pages first)
{
    struct pages pages[RANGES] = {first};

    for (u64 low = first.end; low < PAGES; low++) {
        for (u64 guard = 0; guard <= 1 && low + guard < PAGES; guard++) {
            pages[1] = (struct pages){low, low + guard, low + guard + 1};
            any_operation(pages, 2);
        }
    }
}

static void one_range(void)
{
    for (u64 low = 0; low < PAGES; low++) {
        for (u64 guard = 0; guard <= 1; guard++) {
            for (u64 end = low + guard + 1; end <= low + guard + 2 && end <= PAGES; end++) {
                struct pages pages = {low, low + guard, end};
                any_operation(&pages, 1);
                two_ranges(pages);
            }
        }
    }
}

int main(void)
{
    const struct pages nothing = {0};

    any_operation(&nothing, 0);
    one_range();
    //@ check reached_end: \false;
    return 0;
}
