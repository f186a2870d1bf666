// SPDX-License-Identifier: MIT
// Threads over time: a picture in text, and how long their turns were (S003 §3).
#ifndef KOV_TRACE_THREADS_H
#define KOV_TRACE_THREADS_H

#include "analyses/trace_tool.h"

struct trace_threads_options {
    u64 cells;
    u64 most; // threads, 0: all
    bool ascii, summary;
    const char *meter; // "A,B": shows the time between these two
};

// Puts "threads", longest running first. "strip" is the picture, a character for each cell. Idle
// threads are not shown. Returns an exit code.
int trace_threads(struct engine *engine, const struct trace_choice *choice,
                  const struct trace_threads_options *options, json_t *document);

extern const struct sheet trace_threads_sheets[], trace_threads_summary_sheets[];

#endif
