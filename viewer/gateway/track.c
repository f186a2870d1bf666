// SPDX-License-Identifier: MIT
// A number over time, in levels of rings. A coarse node exists from its first value on, so that
// every level reaches up to now.
#include "gateway/track.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>

size_t track_bytes(u32 nodes)
{
    return TRACK_LEVELS * (size_t)nodes * sizeof(struct track_node);
}

void track_begin(struct track *track, u32 nodes)
{
    *track = (struct track){.nodes = nodes};
    for (u32 level = 0; level < TRACK_LEVELS; level++)
        track->levels[level] = memory_get(nodes * sizeof(struct track_node));
}

void track_free(struct track *track)
{
    for (u32 level = 0; level < TRACK_LEVELS; level++)
        free(track->levels[level]);
    *track = (struct track){0};
}

// Returns how many values a node of the level has.
static u64 values_of(u32 level)
{
    u64 values = 1;
    while (level-- > 0)
        values *= TRACK_FAN;
    return values;
}

// Returns how many nodes the level ever had.
static u64 made(const struct track *track, u32 level)
{
    return (track->values + values_of(level) - 1) / values_of(level);
}

static const struct track_node *node_at(const struct track *track, u32 level, u64 index)
{
    return &track->levels[level][index % track->nodes];
}

static void join(struct track_node *node, const struct track_node *later)
{
    node->to = later->to;
    if (isnan(later->last))
        return;
    node->min = fminf(node->min, later->min);
    node->max = fmaxf(node->max, later->max);
    node->last = later->last;
    node->error = later->error;
    node->measured = later->measured;
}

bool track_add(struct track *track, double time, double value, double error, double measured)
{
    u64 before = track->values;
    if (!isfinite(time) || (before > 0 && time <= node_at(track, 0, before - 1)->to)) {
        track->refused++;
        return false;
    }
    float number = isfinite((float)value) ? (float)value : NAN;
    const struct track_node node = {time,   time,         number,         number,
                                    number, (float)error, (float)measured};
    for (u32 level = 0; level < TRACK_LEVELS; level++) {
        struct track_node *place = &track->levels[level][before / values_of(level) % track->nodes];
        if (before % values_of(level) == 0)
            *place = node;
        else
            join(place, &node);
    }
    track->values++;
    return true;
}

// ---- ranges ------------------------------------------------------------------------------------

struct span {
    u64 first, end; // nodes of a level, numbered since the first one ever made
};

// Returns the first node that ends at a time or after it.
static u64 find(const struct track *track, u32 level, double time)
{
    u64 end = made(track, level), low = end > track->nodes ? end - track->nodes : 0, high = end;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (node_at(track, level, middle)->to < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns the nodes that overlap [from, to).
static struct span span_of(const struct track *track, u32 level, double from, double to)
{
    struct span span = {find(track, level, from), find(track, level, to)};
    if (span.end < made(track, level) && node_at(track, level, span.end)->from < to)
        span.end++;
    return span;
}

// Returns whether this level still has all after `from`.
static bool goes_back(const struct track *track, u32 level, double from)
{
    u64 all = made(track, level);
    return all <= track->nodes || node_at(track, level, all - track->nodes)->from <= from;
}

size_t track_range(const struct track *track, double from, double to, struct track_node *nodes,
                   size_t room)
{
    u32 level = 0;
    if (track->values == 0 || !(from < to) || room == 0)
        return 0;
    struct span span = span_of(track, level, from, to);
    while (level + 1 < TRACK_LEVELS &&
           (span.end - span.first > room || !goes_back(track, level, from))) {
        level++;
        span = span_of(track, level, from, to);
    }
    u64 step = (span.end - span.first + room - 1) / room;
    size_t count = 0;
    for (u64 i = span.first; i < span.end; i++) {
        const struct track_node *node = node_at(track, level, i);
        if ((i - span.first) % step == 0)
            nodes[count++] = *node;
        else
            join(&nodes[count - 1], node);
    }
    return count;
}
