// SPDX-License-Identifier: MIT
// How long locks were held, by lock and call chain, and how long others waited meanwhile.
#ifndef KOV_TRACE_HOLDS_H
#define KOV_TRACE_HOLDS_H

#include "trace/trace_measures.h"
#include "trace/trace_tool.h"

struct trace_holds {
    struct event_fields take, release, wait;
    struct keyed_rows locks; // as they are now
    struct keyed_rows rows;
    const struct trace_measures *measures; // NULL: nobody
};

void trace_holds_begin(struct trace_holds *holds, const struct descriptions *descriptions);
void trace_holds_free(struct trace_holds *holds);
void trace_holds_event(struct trace_holds *holds, const struct trace_walk *walk,
                       const struct trace_event *event);
// A lock whose events may be missing is not known to be held.
void trace_holds_loss(struct trace_holds *holds, const struct trace_loss *loss);

// "holds", sorted as compare_histograms says, at most so many (0: all).
void trace_holds_put(struct trace_holds *holds, const struct trace_walk *walk,
                     int (*compare)(const struct histogram *one, const struct histogram *other),
                     u64 most, struct symbols *symbols, json_t *document);
extern const struct column trace_holds_columns[];

#endif
