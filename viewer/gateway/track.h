// SPDX-License-Identifier: MIT
// A number over time, in levels. Each level is 16 times as coarse as the one below and has as many
// nodes. So a range costs no more than the picture has pixels, and old times become coarse.
#ifndef KOV_TRACK_H
#define KOV_TRACK_H

#include <orrery/types.h>

#define TRACK_LEVELS 4
#define TRACK_FAN 16

// NaN: not known. min, max and last are those of known values.
struct track_node {
    double from, to; // ns since boot, of its first and its last value
    float min, max, last;
    float error, measured; // of the last value
};

struct track {
    struct track_node *levels[TRACK_LEVELS]; // rings, finest first
    u32 nodes;                               // of each level
    u64 values;                              // number of all values ever added
    u64 refused;                             // values whose time went back
};

size_t track_bytes(u32 nodes);
// Begins a track. nodes is at least TRACK_FAN.
void track_begin(struct track *track, u32 nodes);
void track_free(struct track *track);
// Adds a value. time is ns since boot and later than the last one. Refuses the value if it is not,
// or if it is no number.
bool track_add(struct track *track, double time, double value, double error, double measured);
// Finds at most `room` nodes that have values in [from, to), oldest first. It takes the finest
// level that goes back to `from` and has no more than that. Coarse nodes may begin before the range
// and end after it. Returns how many.
size_t track_range(const struct track *track, double from, double to, struct track_node *nodes,
                   size_t room);

#endif
