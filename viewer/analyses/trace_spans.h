// SPDX-License-Identifier: MIT
// Spans last from an event of a thread to the one that ends it, such as a system call or a page
// fault. Durations are by the clock, even while the thread does not run. Its time on a CPU is a
// column of its own.
#ifndef KOV_TRACE_SPANS_H
#define KOV_TRACE_SPANS_H

#include "analyses/trace_measures.h"
#include "analyses/trace_tool.h"

#define SPAN_KEYS 4

// If no event tells the end, its status is NULL.
struct span_kind {
    const char *rows; // name of the rows in the document
    enum trace_measured measured;
    enum event_kind enter, within, exit; // the first fields of enter and exit must agree
    bool nests;                          // if not, one that begins ends the one before
    u64 asleep; // a span with this first field ends when its thread runs again after a sleep; 0:
                // none
    void (*key)(const u64 *enter, const u64 *within, const u64 *exit, u64 key[SPAN_KEYS]);
    bool (*failed)(const u64 *exit);
    void (*put)(json_t *row, const struct labels *labels, const u64 key[SPAN_KEYS]);
};

struct span_options {
    bool by_process, histogram;
    u64 most; // rows; 0: all
    // Rows by a part of the key; the other fields are set to 0.
    u32 keys;
    u64 only;                              // only spans with this first key; UINT64_MAX: any
    const struct trace_measures *measures; // told of each span, in place of an answer; NULL: none
};

// Puts rows, longest time first; "all" and "durations" of all chosen spans; and what could not be
// measured.
int trace_spans(struct engine *engine, const struct trace_choice *choice,
                const struct span_kind *kind, const struct span_options *options, json_t *document);

// How long system calls take, by call.
extern const struct span_kind trace_syscalls;
extern const struct sheet trace_syscalls_sheets[];

// How long page faults take, by access and result, and by the objects that handle them: numbers of
// the parts of the key.
#define TRACE_FAULTS_BY_RESULT 2
#define TRACE_FAULTS_BY_OBJECTS 4
extern const struct span_kind trace_faults;
extern const struct sheet trace_faults_sheets[];

#define SPAN_COLUMNS                                                                               \
    COLUMN("COUNT", "count", 8), COLUMN("ERRORS", "errors", 7), TIME_COLUMN("TIME", "time"),       \
        TIME_COLUMN("ON A CPU", "cpu_time"), SPREAD_COLUMNS, HIDDEN("time_ticks"),                 \
        HIDDEN("cpu_time_ticks"), SPREAD_TICKS, COLUMNS_END
void trace_spans_note(const json_t *document);

#endif
