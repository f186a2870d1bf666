// SPDX-License-Identifier: MIT
// Shows what a monitor recorded, as threads over time (S003 §3, figures 1 to 8).
#ifndef KOV_MONITOR_VIEW_H
#define KOV_MONITOR_VIEW_H

#include "analyses/trace_tool.h"

struct monitor_view_options {
    u64 cells;
    bool ascii, summary;
    bool compensate;   // takes from times what records cost
    bool check;        // KOV_FAILED if two run at once on a CPU
    const char *meter; // "A,B": shows the time between these two
};

// Puts "threads": a row for each id and CPU on which it ran. Returns an exit code.
int monitor_view(struct engine *engine, const struct trace_choice *choice,
                 const struct monitor_view_options *options, json_t *document);

// Print what people see below the tables.
void monitor_view_note(const json_t *document);
void monitor_view_summary_note(const json_t *document);

extern const struct sheet monitor_view_sheets[], monitor_view_summary_sheets[];

#endif
