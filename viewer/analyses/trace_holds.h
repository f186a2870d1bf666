// SPDX-License-Identifier: MIT
// Tells how long locks were held, by lock and call chain, and how long others waited meanwhile.
#ifndef KOV_TRACE_HOLDS_H
#define KOV_TRACE_HOLDS_H

#include "analyses/trace_measures.h"
#include "analyses/trace_tool.h"

struct trace_holds {
    struct keyed_rows locks; // their present state
    struct keyed_rows rows;
    const struct trace_measures *measures; // NULL: none
};

void trace_holds_begin(struct trace_holds *holds);
void trace_holds_free(struct trace_holds *holds);
void trace_holds_event(struct trace_holds *holds, const struct trace_walk *walk,
                       const struct trace_event *event);
// Forgets the holders of locks whose events may be missing.
void trace_holds_loss(struct trace_holds *holds, const struct trace_loss *loss);

// Puts "holds": at most so many rows (0: all), sorted by `compare`.
void trace_holds_put(struct trace_holds *holds, struct trace_walk *walk,
                     int (*compare)(const struct histogram *one, const struct histogram *other),
                     u64 most, struct symbols *symbols, json_t *document);
extern const struct column trace_holds_columns[];

#endif
