// SPDX-License-Identifier: MIT
// Prints events of a trace as they come (S002 figure 5): as a table for people, as JSON or as CSV.
#ifndef KOV_TRACE_SHOW_H
#define KOV_TRACE_SHOW_H

#include "trace/trace_choice.h"

struct trace_show {
    const struct trace_choice *choice;
    u64 hz;
    u64 most;                    // events; TRACE_ANY: all
    u64 shown;                   // events
    u64 lost_packets, discarded; // in what is shown
};

void trace_show_begin(void);
struct visitor trace_show_visitor(struct trace_show *show);
void trace_show_end(const struct trace_show *show);

// Follows a running machine until there are enough events, or until Ctrl-C. A session has begun.
int trace_follow(const struct trace_wishes *wishes, u64 most);

// Shows what each CPU did, interval by interval: at most so many intervals of the chosen time, CPU
// and process. Returns an exit code.
int trace_show_activity(struct engine *engine, const struct trace_choice *choice, u64 most);

#endif
