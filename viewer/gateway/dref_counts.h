// SPDX-License-Identifier: MIT
// DREFs and misses by object. They are read at the end of each cell of history while somebody
// watches them, as exact counts beside the samples.
#ifndef KOV_DREF_COUNTS_H
#define KOV_DREF_COUNTS_H

#include "counts/dref.h"
#include "gateway/history.h"

#define DREF_COUNTS_IDLE 10.0 // seconds without a watcher, after which counting ends

struct dref_counts {
    // Misses are always counted, DREFs only while somebody asks for them.
    double drefs_watched, misses_watched; // watched until then, by clock_now()
    bool counting, refused;               // refused: until the times above
    struct dref_reading last;
    bool has_last;
};

// Returns whether it is counted here. "drefs" and "misses" are.
bool dref_counts_has(const char *measure);
// Notes that somebody watches it. Returns false if the machine has refused to count it, with a
// message.
bool dref_counts_watch(struct dref_counts *counts, const char *measure);
// Reads what is watched into the open cell, which is about to end. Ends counting when nobody has
// watched for long. Returns KOV_OK, even if the machine refuses; else the connection is gone.
int dref_counts_attend(struct dref_counts *counts, struct history *history);
// Forgets the state, since the connection is another one, or none.
void dref_counts_reset(struct dref_counts *counts);

#endif
