// SPDX-License-Identifier: MIT
// Joins slices that are too short.
#include "analyses/slices.h"
#include "tools/memory.h"

#include <stdlib.h>

enum thread_time thread_kind_time(u8 kind)
{
    static const enum thread_time times[THREAD_KINDS] = {
        [THREAD_KIND_UNKNOWN] = THREAD_UNKNOWN, [THREAD_KIND_USER] = THREAD_RUN,
        [THREAD_KIND_KERNEL] = THREAD_RUN,      [THREAD_KIND_RUN] = THREAD_RUN,
        [THREAD_KIND_READY] = THREAD_READY,     [THREAD_KIND_BLOCKED] = THREAD_BLOCKED,
    };
    return times[kind];
}

static void put_row(struct slices *slices, const struct slice *row)
{
    slices->is_full |= slices->count == slices->most;
    if (slices->is_full)
        return;
    slices->rows =
        memory_grow(slices->rows, slices->count, &slices->capacity, sizeof(*slices->rows));
    slices->rows[slices->count++] = *row;
}

// A group of one slice is that slice.
static void end_group(struct slices *slices, struct slice_group *group)
{
    for (u32 kind = 0; kind < ACTIVITIES && group->count > 0; kind++) {
        const struct slice_part *part = &group->parts[kind];
        if (part->count == 0)
            continue;
        struct slice row = part->longest;
        row.from = group->from;
        row.to = group->to;
        row.ticks = part->ticks;
        row.count = part->count;
        put_row(slices, &row);
    }
    *group = (struct slice_group){0};
}

static void add_to_group(struct slice_group *group, const struct slice *slice)
{
    struct slice_part *part = &group->parts[slice->kind];
    if (group->count == 0)
        group->from = slice->from;
    group->to = slice->to > group->to ? slice->to : group->to;
    group->count += slice->count;
    part->ticks += slice->ticks;
    part->count += slice->count;
    if (slice->longest >= part->longest.longest)
        part->longest = *slice;
}

void slices_begin(struct slices *slices, u64 shortest, size_t most)
{
    slices->count = 0;
    slices->is_full = false;
    slices->shortest = shortest;
    slices->most = most;
    slices->tracks = 0;
}

static struct slice_group *group_of(struct slices *slices, u32 track)
{
    while (slices->tracks <= track) {
        slices->groups = memory_grow(slices->groups, slices->tracks, &slices->track_capacity,
                                     sizeof(*slices->groups));
        slices->groups[slices->tracks++] = (struct slice_group){0};
    }
    return &slices->groups[track];
}

static void add(struct slices *slices, const struct slice *slice, bool in_one)
{
    struct slice_group *group = group_of(slices, slice->track);
    bool is_long = !in_one && slice->to - slice->from >= slices->shortest;
    bool is_over =
        !in_one && slice->from >= group->to && group->to - group->from >= slices->shortest;
    if (is_long || is_over)
        end_group(slices, group);
    if (is_long)
        put_row(slices, slice);
    else
        add_to_group(group, slice);
}

void slices_add(struct slices *slices, const struct slice *slice)
{
    u8 how = slices->how == NULL           ? SLICES_EACH
             : slice->track < slices->hows ? slices->how[slice->track]
                                           : SLICES_NONE;
    if (how != SLICES_NONE)
        add(slices, slice, how == SLICES_SUM);
}

void slices_end(struct slices *slices)
{
    for (size_t track = 0; track < slices->tracks; track++)
        end_group(slices, &slices->groups[track]);
}

void slices_coarsen(struct slices *slices)
{
    struct slices coarse = {.how = slices->how, .hows = slices->hows};
    slices_end(slices);
    slices_begin(&coarse, slices->shortest * 2, slices->most);
    for (size_t i = 0; i < slices->count; i++)
        slices_add(&coarse, &slices->rows[i]);
    slices_end(&coarse);
    slices_free(slices);
    *slices = coarse;
}

static int compare(const void *one, const void *other)
{
    const struct slice *a = one, *b = other;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

void slices_sort(struct slices *slices)
{
    if (slices->count > 1)
        qsort(slices->rows, slices->count, sizeof(*slices->rows), compare);
}

void slices_free(struct slices *slices)
{
    free(slices->rows);
    free(slices->groups);
    *slices = (struct slices){0};
}
