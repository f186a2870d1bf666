// SPDX-License-Identifier: MIT
// Sorted, unchanging blocks of address ranges, and arrays of blocks: see region_map.h. With n
// ranges in blocks of b, a change copies b ranges and n/b parts. Neighbours have more than b/2
// together, so there are fewer than 4n/b blocks.
#include "region_map.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <string.h>

// ---- look-ups -----------------------------------------------------------------------------------

static u32 region_map_parts(const struct region_map *map)
{
    return map == NULL ? 0 : map->part_count;
}

// Index of the first part that ends above an address.
static u32 part_above(const struct region_map *map, u64 address)
{
    u32 low = 0, high = region_map_parts(map);

    while (low < high) {
        u32 middle = (low + high) / 2;
        if (map->parts[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Index of the first range of a block that ends above an address.
static u64 range_above(const struct region_block *block, u64 address)
{
    u64 low = 0, high = block->count;

    while (low < high) {
        u64 middle = (low + high) / 2;
        if (block->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct region_range *region_map_above(const struct region_map *map, u64 address)
{
    u32 part = part_above(map, address);

    if (part == region_map_parts(map))
        return NULL;
    const struct region_block *block = map->parts[part].block;
    return &block->ranges[range_above(block, address)];
}

const struct region_range *region_map_find(const struct region_map *map, u64 address)
{
    const struct region_range *range = region_map_above(map, address);

    return range != NULL && range->start <= address ? range : NULL;
}

const struct region_range *region_map_find_slow(const struct region_map *map, u64 address,
                                                u64 *guess)
{
    u32 part = part_above(map, address);

    if (part == region_map_parts(map))
        return NULL;
    const struct region_block *block = map->parts[part].block;
    u64 index = range_above(block, address);
    if (block->ranges[index].start > address)
        return NULL;
    *guess = (u64)part << REGION_GUESS_BITS | index;
    return &block->ranges[index];
}

bool region_map_free(const struct region_map *map, u64 low, u64 end, const struct region *except)
{
    const struct region_range *range = region_map_above(map, low);

    while (range != NULL && range->low < end) {
        if (range->region != except)
            return false;
        range = region_map_above(map, range->end);
    }
    return true;
}

u64 region_map_gap(const struct region_map *map, u64 from, u64 to, u64 bytes, u64 guard)
{
    u64 at = from + guard; // what is there is passed range by range, or, without a hole, at once

    if (bytes > to || at > to - bytes)
        return 0;
    for (u32 i = part_above(map, from); i < region_map_parts(map); i++) {
        const struct region_part *part = &map->parts[i];
        const struct region_block *block = part->block;
        if (part->low >= at + bytes)
            break;
        u64 place = part->hole >= guard && part->hole - guard >= bytes ? range_above(block, from)
                                                                       : block->count;
        if (place == block->count)
            at = part->end + guard;
        for (; place < block->count && block->ranges[place].low < at + bytes; place++)
            at = block->ranges[place].end + guard;
        if (place < block->count)
            break;
    }
    return at <= to - bytes ? at : 0;
}

// ---- new blocks ---------------------------------------------------------------------------------

// The ranges of one block or two in a row, of which one may be left out and one put in there.
struct edit {
    const struct region_block *first, *second; // NULL: none
    u64 place;                                 // in both, one behind the other
    bool leave_out;                            // what is at the place
    const struct region_range *put_in;         // or NULL
};

static u64 count_of(const struct region_block *block)
{
    return block != NULL ? block->count : 0;
}

static u64 edited_count(const struct edit *edit)
{
    return count_of(edit->first) + count_of(edit->second) + (edit->put_in != NULL) -
           edit->leave_out;
}

static u64 lesser(u64 a, u64 b)
{
    return a < b ? a : b;
}

// What comes from index on, as far as it lies in one piece: its start, and in *count how many.
static const struct region_range *edited_piece(const struct edit *edit, u64 index, u64 *count)
{
    u64 end = UINT64_MAX, first = count_of(edit->first);

    if (index == edit->place && edit->put_in != NULL) {
        *count = 1;
        return edit->put_in;
    }
    if (index < edit->place)
        end = edit->place;
    else
        index = index + edit->leave_out - (edit->put_in != NULL);
    if (index < first) {
        *count = lesser(end, first) - index;
        return &edit->first->ranges[index];
    }
    *count = lesser(end, first + edit->second->count) - index;
    return &edit->second->ranges[index - first];
}

// So many of the edited ranges, from index on.
static void fill_block(struct region_block *block, const struct edit *edit, u64 index, u64 count)
{
    block->count = count;
    for (u64 done = 0; done < count;) {
        u64 piece;
        const struct region_range *from = edited_piece(edit, index + done, &piece);
        piece = lesser(piece, count - done);
        memcpy(&block->ranges[done], from, piece * sizeof(struct region_range));
        done += piece;
    }
}

// All of them, when they come from one block: the usual case, in fewer steps.
static void fill_from_one(struct region_block *block, const struct edit *edit, u64 count)
{
    const struct region_block *from = edit->first;
    u64 place = edit->place, put = edit->put_in != NULL;

    block->count = count;
    if (place > 0)
        memcpy(block->ranges, from->ranges, place * sizeof(from->ranges[0]));
    if (put != 0)
        block->ranges[place] = *edit->put_in;
    if (place + put < count)
        memcpy(&block->ranges[place + put], &from->ranges[place + edit->leave_out],
               (count - place - put) * sizeof(from->ranges[0]));
}

static u64 block_bytes(u64 count)
{
    return sizeof(struct region_block) + count * sizeof(struct region_range);
}

// NULL: out of memory.
static struct region_block *make_block(const struct edit *edit, u64 index, u64 count)
{
    struct region_block *block = kmalloc(block_bytes(count));

    if (block != NULL)
        fill_block(block, edit, index, count);
    return block;
}

static struct region_part part_of(struct region_block *block)
{
    struct region_part part = {
        .low = block->ranges[0].low, .end = block->ranges[block->count - 1].end, .block = block};

    for (u64 i = 1; i < block->count; i++) {
        u64 hole = block->ranges[i].low - block->ranges[i - 1].end;
        part.hole = hole > part.hole ? hole : part.hole;
    }
    return part;
}

// ---- new maps -----------------------------------------------------------------------------------

// More: bytes behind it.
static struct region_map *make_map(u32 part_count, u64 more)
{
    struct region_map *map =
        kmalloc(sizeof(struct region_map) + part_count * sizeof(struct region_part) + more);

    if (map != NULL) {
        map->replaced[0] = map->replaced[1] = NULL;
        map->replaces_all = false;
        map->count = 0;
        map->part_count = part_count;
    }
    return map;
}

// Most maps are small: one part, whose block lies behind it. No other map has that block: who has
// another one has changed it. The largest hole is left to look-ups.
static struct region_map *make_small(const struct region_map *map, const struct edit *edit,
                                     u64 count)
{
    struct region_map *made = make_map(1, block_bytes(count));

    if (made == NULL)
        return NULL;
    struct region_block *block = (struct region_block *)&made->parts[1];
    if (edit->second == NULL)
        fill_from_one(block, edit, count);
    else
        fill_block(block, edit, 0, count);
    made->parts[0] = (struct region_part){.low = block->ranges[0].low,
                                          .end = block->ranges[count - 1].end,
                                          .hole = UINT64_MAX,
                                          .block = block};
    for (u32 i = 0; i < region_map_parts(map); i++)
        made->replaced[i] = map->parts[i].block;
    made->count = (u32)count;
    return made;
}

// Frees a block, unless it lies behind its map.
static void free_block(const struct region_map *map, struct region_block *block)
{
    if (block != NULL && (void *)block != (const void *)&map->parts[1])
        kfree(block);
}

// The map with new blocks in the place of as many parts from `at` on as the edit has blocks.
static struct region_map *splice(const struct region_map *map, u32 at, const struct edit *edit,
                                 struct region_block *const made[2])
{
    u32 dropped = (u32)(edit->first != NULL) + (edit->second != NULL);
    u32 added = (u32)(made[0] != NULL) + (made[1] != NULL);
    u32 behind = region_map_parts(map) - at - dropped;
    struct region_map *result = make_map(at + added + behind, 0);

    if (result == NULL)
        return NULL;
    if (at > 0)
        memcpy(result->parts, map->parts, at * sizeof(map->parts[0]));
    for (u32 i = 0; i < added; i++)
        result->parts[at + i] = part_of(made[i]);
    if (behind > 0)
        memcpy(&result->parts[at + added], &map->parts[at + dropped],
               behind * sizeof(map->parts[0]));
    for (u32 i = 0; i < dropped; i++)
        result->replaced[i] = map->parts[at + i].block;
    result->count = region_map_count(map) + (edit->put_in != NULL) - edit->leave_out;
    return result;
}

// NULL: out of memory.
static struct region_map *apply(const struct region_map *map, u32 at, const struct edit *edit)
{
    u64 count = edited_count(edit), half = count > REGION_BLOCK ? count / 2 : count;
    struct region_block *made[2] = {NULL, NULL};
    struct region_map *result = NULL;

    if (half == count &&
        count == region_map_count(map) + (edit->put_in != NULL) - edit->leave_out && count > 0)
        return make_small(map, edit, count);
    if (half > 0)
        made[0] = make_block(edit, 0, half);
    if (half < count && made[0] != NULL)
        made[1] = make_block(edit, half, count - half);
    if ((half == 0 || made[0] != NULL) && (half == count || made[1] != NULL))
        result = splice(map, at, edit, made);
    for (u32 i = 0; i < 2 && result == NULL; i++) {
        if (made[i] != NULL)
            kfree(made[i]);
    }
    return result;
}

struct region_map *region_map_with(const struct region_map *map, struct region_range range)
{
    u32 parts = region_map_parts(map), at = part_above(map, range.start);
    struct edit edit = {.put_in = &range};

    if (at == parts && parts > 0)
        at--;
    if (at < parts) {
        edit.first = map->parts[at].block;
        edit.place = range_above(edit.first, range.start);
    }
    return apply(map, at, &edit);
}

struct region_map *region_map_replace(const struct region_map *map, struct region_range range)
{
    u32 at = part_above(map, range.start);
    struct edit edit = {.first = map->parts[at].block, .leave_out = true, .put_in = &range};

    edit.place = range_above(edit.first, range.start);
    KASSERT(edit.first->ranges[edit.place].region == range.region);
    return apply(map, at, &edit);
}

// Whether a block with so many ranges and the one of another part, if it is there, become one.
static bool should_join(const struct region_map *map, u64 count, u32 other)
{
    return other < map->part_count && count + map->parts[other].block->count <= REGION_BLOCK / 2;
}

struct region_map *region_map_without(const struct region_map *map, u64 start)
{
    u32 at = part_above(map, start);
    struct edit edit = {.first = map->parts[at].block, .leave_out = true};
    u64 left = edit.first->count - 1;

    edit.place = range_above(edit.first, start);
    KASSERT(edit.first->ranges[edit.place].start == start);
    if (should_join(map, left, at + 1)) {
        edit.second = map->parts[at + 1].block;
    } else if (at > 0 && should_join(map, left, at - 1)) {
        at--;
        edit.second = edit.first;
        edit.first = map->parts[at].block;
        edit.place += edit.first->count;
    }
    return apply(map, at, &edit);
}

struct region_map *region_map_wired(const struct region_map *map)
{
    struct region_map *made = make_map(0, 0);
    const struct region_range *range = region_map_above(map, 0);

    for (; range != NULL && made != NULL; range = region_map_above(map, range->end)) {
        if (!range->wired)
            continue;
        struct region_map *more = region_map_with(made, *range);
        if (more != NULL) {
            region_map_retire(made, more);
            region_map_drop(made);
            memset(more->replaced, 0, sizeof(more->replaced));
        } else {
            region_map_destroy(made);
        }
        made = more;
    }
    if (made != NULL)
        made->replaces_all = true;
    return made;
}

// ---- ends ---------------------------------------------------------------------------------------

void region_map_retire(struct region_map *map, const struct region_map *by)
{
    memcpy(map->unused, by->replaced, sizeof(map->unused));
    map->all_unused = by->replaces_all;
}

void region_map_drop(struct region_map *map)
{
    if (map->all_unused) {
        region_map_destroy(map);
        return;
    }
    for (u32 i = 0; i < ARRAY_SIZE(map->unused); i++)
        free_block(map, map->unused[i]);
    kfree(map);
}

void region_map_destroy(struct region_map *map)
{
    for (u32 i = 0; i < region_map_parts(map); i++)
        free_block(map, map->parts[i].block);
    kfree(map);
}
