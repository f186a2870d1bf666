// SPDX-License-Identifier: MIT
// Lists events of a trace as they come (S002 figure 5): prints them as a table for people, as JSON
// or as CSV, or gives them to a caller.
#ifndef KOV_TRACE_SHOW_H
#define KOV_TRACE_SHOW_H

#include "analyses/event_words.h"

struct trace_show {
    const struct trace_choice *choice;
    u64 most;                    // events; TRACE_ANY: all
    json_t *into;                // rows go there, at most so many. NULL: they are printed
    u64 shown;                   // events
    u64 lost_packets, discarded; // in what is shown
    u64 left_out;                // packets of the trace that are damaged
    bool knows_threads;          // the trace tells which thread runs
    struct trace_walk walk;
    struct event_words words;
};

// Shows the events of the chosen time, at most so many. Returns an exit code.
int trace_show(struct engine *engine, const struct trace_choice *choice, u64 most);

// Appends to a list what trace_show shows: events, and the losses among them, at most so many rows.
// Returns an exit code.
int trace_show_rows(struct engine *engine, const struct trace_choice *choice, u64 most,
                    json_t *into);

// Do parts of trace_show, for events that come by and by: the caller lets `walk` visit them.
void trace_show_begin(struct trace_show *show, const struct trace_choice *choice, u64 most);
void trace_show_find(struct trace_show *show, const struct descriptions *descriptions);
void trace_show_end(struct trace_show *show);

// Follows a running machine until there are enough events, or until Ctrl-C. A session has begun.
int trace_follow(const struct trace_options *options, u64 most);

// Shows what each CPU did, interval by interval: at most so many intervals of the chosen time, CPU
// and process. Returns an exit code.
int trace_show_activity(struct engine *engine, const struct trace_choice *choice, u64 most);

#endif
