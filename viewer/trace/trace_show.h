// SPDX-License-Identifier: MIT
// Prints events of a trace as they come (S002 figure 5): a table for people, JSON or CSV.
#ifndef KOV_TRACE_SHOW_H
#define KOV_TRACE_SHOW_H

#include "trace/trace_choice.h"

struct trace_show {
    const struct trace_choice *choice;
    u64 hz;
    u64 most;                    // events; TRACE_ANY: all
    u64 shown;                   // events
    u64 lost_packets, discarded; // among what is shown
};

void trace_show_begin(const struct trace_show *show);
struct visitor trace_show_visitor(struct trace_show *show);
void trace_show_end(const struct trace_show *show);

#endif
