// SPDX-License-Identifier: MIT
// What the parts of `kov top` share.
#ifndef KOV_TOP_H
#define KOV_TOP_H

#include "output/document.h"
#include "samples/aggregate.h"
#include "samples/frequency.h"
#include "samples/sampling_window.h"

#define TOP_NOTE_BYTES 120

struct top {
    struct sampling_request request; // with the current thresholds
    struct frequency frequency;
    struct sort sort;
    struct snapshot snapshot;
    struct symbols *symbols;
    struct programs *programs;
    struct sample_set samples; // since the last refresh
    u64 lost_before;
    json_t *refresh, *tables; // with --json: what to print of this refresh; else NULL
    bool keys;                // reads keys, since it is on a terminal
    bool quit;
    double since, due; // when the last refresh was, and the next one is, by clock_now()
    u64 shown_times;
    struct workload_result workload; // while which it watches, if one is given
    u32 shown;                       // number of the event that is shown
    char note[TOP_NOTE_BYTES];       // for the last line; "": show the help there
};

// Print a refresh: its head, a table for each event, its end.
void top_begin(struct top *top, double seconds, u64 lost);
void top_show(const struct top *top, u32 index, const struct aggregate *aggregate);
void top_end(const struct top *top);
// Returns what the machine counted of each event until its sampling ended, as members of a
// document.
json_t *top_counts(const struct top *top);

// Does what the pressed keys ask for. Returns an exit code.
int top_keys(struct top *top);

#endif
