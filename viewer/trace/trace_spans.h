// SPDX-License-Identifier: MIT
// Spans: from an event of a thread to the one that ends it, as a system call or a page fault.
// Durations are by the clock, also while the thread does not run; its time on a CPU is told beside.
#ifndef KOV_TRACE_SPANS_H
#define KOV_TRACE_SPANS_H

#include "trace/trace_measures.h"
#include "trace/trace_tool.h"

#define SPAN_KEYS 4

// An end that no event tells has the status NULL.
struct span_kind {
    const char *rows; // what the document calls them
    enum trace_measured measured;
    struct event_fields enter, within, exit; // first field of enter and exit: they must agree
    bool nests;                              // else whoever begins one has ended the one before
    u64 asleep; // one of that first field ends when its thread runs again after a sleep; 0: none
    void (*key)(const u64 *enter, const u64 *within, const u64 *exit, u64 key[SPAN_KEYS]);
    bool (*failed)(const u64 *exit);
    void (*put)(json_t *row, const u64 key[SPAN_KEYS]);
};

struct span_wishes {
    bool by_process, histogram;
    u64 most; // rows; 0: all
    // Rows by a part of the key alone: the rest is set to 0.
    u32 keys;
    u64 only;                              // the first key alone; UINT64_MAX: any
    const struct trace_measures *measures; // are told of each, in place of an answer; NULL: nobody
};

// Fills the document with rows, what took longest first, "all" and "durations" of all that are
// chosen, and what could not be measured.
int trace_spans(struct engine *engine, const struct trace_choice *choice,
                const struct span_kind *kind, const struct span_wishes *wishes, json_t *document);

#define SPAN_COLUMNS                                                                               \
    COLUMN("COUNT", "count", 8), COLUMN("ERRORS", "errors", 7), TIME_COLUMN("TIME", "time"),       \
        TIME_COLUMN("ON A CPU", "cpu_time"), SPREAD_COLUMNS, HIDDEN("time_ticks"),                 \
        HIDDEN("cpu_time_ticks"), SPREAD_TICKS, COLUMNS_END
void trace_spans_note(const json_t *document);

#endif
