// SPDX-License-Identifier: MIT
// Sorted, unchanging blocks of address ranges, and arrays of blocks: see region_map.h. With n
// ranges in blocks of b, a change copies b ranges and n/b parts. Neighbours have more than b/2
// together, so there are fewer than 4n/b blocks.
#include "region_map.h"

#include <kernel/memory.h>
#include <kernel/panic.h>
#include <string.h>

// ---- look-ups -----------------------------------------------------------------------------------

// Returns the index of the first part that ends above an address.
static u32 part_above(const struct region_map *map, u64 address)
{
    u32 low = 0, high = map->part_count;

    while (low < high) {
        u32 middle = (low + high) / 2;
        if (map->parts[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns the index of the first range of a block that ends above an address.
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

u64 region_map_above(const struct region_map *map, u64 address)
{
    if (map == NULL)
        return 0;
    if (map->part_count == 0)
        return range_above(region_map_block(map), address);
    u32 part = part_above(map, address);
    u64 index = part < map->part_count ? range_above(map->parts[part].block, address) : 0;
    return (u64)part << REGION_PLACE_BITS | index;
}

static const struct region_range *find_in_block(const struct region_block *block, u64 address,
                                                u64 *index)
{
    *index = range_above(block, address);
    if (*index == block->count || block->ranges[*index].start > address)
        return NULL;
    return &block->ranges[*index];
}

// With several parts, the last guess is tried first here.
const struct region_range *region_map_find_slow(const struct region_map *map, u64 address,
                                                u64 *guess)
{
    u64 part = *guess >> REGION_PLACE_BITS, index = *guess & REGION_PLACE_INDEX;
    const struct region_range *range;

    if (map->part_count == 0) {
        range = find_in_block(region_map_block(map), address, &index);
        *guess = range != NULL ? index : *guess;
        return range;
    }
    if (part < map->part_count && index < map->parts[part].block->count) {
        range = &map->parts[part].block->ranges[index];
        if (address >= range->start && address < range->end)
            return range;
    }
    part = part_above(map, address);
    if (part == map->part_count)
        return NULL;
    range = find_in_block(map->parts[part].block, address, &index);
    if (range != NULL)
        *guess = part << REGION_PLACE_BITS | index;
    return range;
}

const struct region_range *region_map_find(const struct region_map *map, u64 address)
{
    const struct region_block *block;
    u64 index;

    if (map == NULL)
        return NULL;
    if (map->part_count == 0) {
        block = region_map_block(map);
    } else {
        u32 part = part_above(map, address);
        if (part == map->part_count)
            return NULL;
        block = map->parts[part].block;
    }
    return find_in_block(block, address, &index);
}

bool region_map_free(const struct region_map *map, u64 low, u64 end, const struct region *except)
{
    const struct region_range *range;
    u64 place = region_map_above(map, low);

    while ((range = region_map_next(map, &place)) != NULL && range->low < end) {
        if (range->region != except)
            return false;
    }
    return true;
}

// Moves *at behind the ranges of a block that are in the way. Whether one is not.
static bool pass_block(const struct region_block *block, u64 from, u64 bytes, u64 guard, u64 *at)
{
    for (u64 i = range_above(block, from); i < block->count; i++) {
        if (block->ranges[i].low >= *at + bytes)
            return true;
        *at = block->ranges[i].end + guard;
    }
    return false;
}

// A part without a large hole is passed at once.
static void pass_parts(const struct region_map *map, u64 from, u64 bytes, u64 guard, u64 *at)
{
    for (u32 i = part_above(map, from); i < map->part_count; i++) {
        const struct region_part *part = &map->parts[i];
        bool fits = part->hole >= guard && part->hole - guard >= bytes;
        if (part->low >= *at + bytes || (fits && pass_block(part->block, from, bytes, guard, at)))
            return;
        *at = part->end + guard;
    }
}

u64 region_map_gap(const struct region_map *map, u64 from, u64 to, u64 bytes, u64 guard)
{
    u64 at = from + guard;

    if (bytes > to || at > to - bytes)
        return 0;
    if (map != NULL && map->part_count == 0)
        pass_block(region_map_block(map), from, bytes, guard, &at);
    else if (map != NULL)
        pass_parts(map, from, bytes, guard, &at);
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

// Returns the start of what comes from index on, as far as it lies in one piece. *count is how
// many.
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
        *count = min_u64(end, first) - index;
        return &edit->first->ranges[index];
    }
    *count = min_u64(end, first + edit->second->count) - index;
    return &edit->second->ranges[index - first];
}

// Fills a block with so many of the edited ranges, from index on.
static void fill_block(struct region_block *block, const struct edit *edit, u64 index, u64 count)
{
    block->count = count;
    for (u64 done = 0; done < count;) {
        u64 piece;
        const struct region_range *from = edited_piece(edit, index + done, &piece);
        piece = min_u64(piece, count - done);
        memcpy(&block->ranges[done], from, piece * sizeof(struct region_range));
        done += piece;
    }
}

// Makes a block of the edited ranges, so many from index on. Returns NULL if out of memory.
static struct region_block *make_block(const struct edit *edit, u64 index, u64 count)
{
    u64 bytes = sizeof(struct region_block) + count * sizeof(struct region_range);
    struct region_block *block = kmalloc(bytes);

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

static struct region_map *make_map(u32 part_count)
{
    struct region_map *map =
        kmalloc(sizeof(struct region_map) + part_count * sizeof(struct region_part));

    if (map != NULL) {
        map->replaced[0] = map->replaced[1] = NULL;
        map->replaces_all = false;
        map->part_count = part_count;
    }
    return map;
}

// Makes a small map, whose ranges are to be filled in.
static struct region_map *make_small(u64 count)
{
    struct region_map *map =
        kmalloc(sizeof(struct region_map) + count * sizeof(struct region_range));

    if (map != NULL) {
        map->part_count = 0;
        map->count = count;
    }
    return map;
}

// Makes a small map from another small one, or none: leaves out the range at an address, puts one
// in there, or both. This is the usual change.
static struct region_map *change_small(const struct region_map *map, u64 address, bool leave_out,
                                       const struct region_range *put_in)
{
    static const struct region_block nothing;
    const struct region_block *from = map != NULL ? region_map_block(map) : &nothing;
    u64 place = range_above(from, address), put = put_in != NULL;
    struct region_map *made = make_small(from->count + put - leave_out);

    if (made == NULL)
        return NULL;
    KASSERT(!leave_out || from->ranges[place].start == address);
    struct region_range *to = region_map_block(made)->ranges;
    u64 behind = from->count - place - leave_out;
    if (place > 0)
        memcpy(to, from->ranges, place * sizeof(*to));
    if (put_in != NULL)
        to[place] = *put_in;
    if (behind > 0)
        memcpy(&to[place + put], &from->ranges[place + leave_out], behind * sizeof(*to));
    return made;
}

// Makes the map with new blocks in the place of as many parts from `at` on as the edit has blocks.
static struct region_map *splice(const struct region_map *map, u32 at, const struct edit *edit,
                                 struct region_block *const made[2])
{
    u32 dropped = map->part_count == 0 ? 0 : edit->second != NULL ? 2 : 1;
    u32 added = made[1] != NULL ? 2 : 1;
    u32 behind = map->part_count - at - dropped;
    struct region_map *result = make_map(at + added + behind);

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
    result->count = map->count + (edit->put_in != NULL) - edit->leave_out;
    return result;
}

// Makes the map whose two parts become one.
static struct region_map *become_small(const struct edit *edit)
{
    u64 count = edited_count(edit);
    struct region_map *made = make_small(count);

    if (made != NULL) {
        fill_block(region_map_block(made), edit, 0, count);
        made->replaces_all = true;
    }
    return made;
}

// Changes a map that is not small, or will not be. Returns NULL if out of memory.
static struct region_map *apply(const struct region_map *map, u32 at, const struct edit *edit)
{
    u64 count = edited_count(edit), half = count > REGION_BLOCK ? count / 2 : count;
    struct region_map *result = NULL;

    if (map->part_count == 2 && edit->second != NULL)
        return become_small(edit);
    struct region_block *made[2] = {make_block(edit, 0, half), NULL};
    if (half < count && made[0] != NULL)
        made[1] = make_block(edit, half, count - half);
    if (made[0] != NULL && (half == count || made[1] != NULL))
        result = splice(map, at, edit, made);
    if (result == NULL) {
        kfree(made[0]);
        kfree(made[1]);
    }
    return result;
}

struct region_map *region_map_with(const struct region_map *map, struct region_range range)
{
    struct edit edit = {.put_in = &range};
    u32 at = 0;

    if (map == NULL || (map->part_count == 0 && map->count < REGION_BLOCK))
        return change_small(map, range.start, false, &range);
    if (map->part_count == 0) {
        edit.first = region_map_block(map);
    } else {
        at = part_above(map, range.start);
        at -= at == map->part_count;
        edit.first = map->parts[at].block;
    }
    edit.place = range_above(edit.first, range.start);
    return apply(map, at, &edit);
}

struct region_map *region_map_replace(const struct region_map *map, struct region_range range)
{
    if (map->part_count == 0)
        return change_small(map, range.start, true, &range);
    u32 at = part_above(map, range.start);
    struct edit edit = {.first = map->parts[at].block, .leave_out = true, .put_in = &range};
    edit.place = range_above(edit.first, range.start);
    KASSERT(edit.first->ranges[edit.place].start == range.start);
    return apply(map, at, &edit);
}

// Returns whether a block with so many ranges and the one of another part, if it is there, become
// one.
static bool should_join(const struct region_map *map, u64 count, u32 other)
{
    u64 most = count == 0 ? REGION_BLOCK : REGION_BLOCK / 2;

    return other < map->part_count && count + map->parts[other].block->count <= most;
}

struct region_map *region_map_without(const struct region_map *map, u64 start)
{
    if (map->part_count == 0)
        return change_small(map, start, true, NULL);
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

// They are the kernel's and few.
struct region_map *region_map_wired(const struct region_map *map)
{
    const struct region_range *range;
    u64 count = 0, index = 0;

    for (u64 place = 0; (range = region_map_next(map, &place)) != NULL;)
        count += range->wired;
    KASSERT(count <= REGION_BLOCK);
    struct region_map *made = make_small(count);
    if (made == NULL)
        return NULL;
    made->replaces_all = true;
    for (u64 place = 0; (range = region_map_next(map, &place)) != NULL;) {
        if (range->wired)
            region_map_block(made)->ranges[index++] = *range;
    }
    return made;
}

// ---- ends ---------------------------------------------------------------------------------------

void region_map_drop(struct region_map *map)
{
    if (map->part_count > 0 && map->all_unused) {
        region_map_destroy(map);
        return;
    }
    if (map->part_count > 0) {
        kfree(map->unused[0]);
        kfree(map->unused[1]);
    }
    kfree(map);
}

void region_map_destroy(struct region_map *map)
{
    for (u32 i = 0; map != NULL && i < map->part_count; i++)
        kfree(map->parts[i].block);
    kfree(map);
}
