// SPDX-License-Identifier: MIT
// A number over time, in levels: each is 16 times as coarse as the one below it and has as many
// nodes, so that any range costs no more than the picture has pixels, and old times become coarse.
#ifndef KOV_TRACK_H
#define KOV_TRACK_H

#include <orrery/types.h>

#define TRACK_LEVELS 4
#define TRACK_FAN 16

// NaN: not known. min, max and last are of the values that are known.
struct track_node {
    double from, to; // ns since boot, of its first and last value
    float min, max, last;
    float error, measured; // of the last
};

struct track {
    struct track_node *levels[TRACK_LEVELS]; // rings, finest first
    u32 nodes;                               // of each
    u64 values;                              // that were ever added
    u64 refused;                             // because their time went back
};

size_t track_bytes(u32 nodes);
// nodes: at least TRACK_FAN.
void track_begin(struct track *track, u32 nodes);
void track_free(struct track *track);
// time: ns since boot, later than the last one; else, or when it is no number, the value is
// refused.
bool track_add(struct track *track, double time, double value, double error, double measured);
// At most `room` nodes that have values in [from, to), oldest first, from the finest level that
// goes back to `from` and has no more than that; coarse ones may begin before it and end behind.
// Returns how many.
size_t track_range(const struct track *track, double from, double to, struct track_node *nodes,
                   size_t room);

#endif
