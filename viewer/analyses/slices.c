// SPDX-License-Identifier: MIT
// Joins slices that are too short.
#include "analyses/slices.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

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
    memset(slices->groups, 0, sizeof(slices->groups));
}

void slices_add(struct slices *slices, const struct slice *slice)
{
    struct slice_group *group = &slices->groups[slice->cpu];
    bool is_long = slice->to - slice->from >= slices->shortest;
    bool is_over = slice->from >= group->to && group->to - group->from >= slices->shortest;
    if (is_long || is_over)
        end_group(slices, group);
    if (is_long)
        put_row(slices, slice);
    else
        add_to_group(group, slice);
}

void slices_end(struct slices *slices)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        end_group(slices, &slices->groups[cpu]);
}

void slices_free(struct slices *slices)
{
    free(slices->rows);
    *slices = (struct slices){0};
}
