// SPDX-License-Identifier: MIT
// What tools that answer from a trace share: which trace, which part of it, and how an answer is
// shown.
#ifndef KOV_TRACE_TOOL_H
#define KOV_TRACE_TOOL_H

#include "output/columns.h"
#include "symbols/kernel.h"
#include "symbols/programs.h"
#include "tools/histogram.h"
#include "analyses/trace_walk.h"

// From the command line.
extern struct trace_options trace_options;
extern const char *trace_dump;
extern const struct option trace_source_options[];
#define TRACE_SOURCE_SYNOPSIS "FOLDER|--dump FILE [--from TIME] [--to TIME] [--cpu CPU] [--pid PID]"

// Opens the folder or dump that is named. The caller calls engine_close in any case.
int trace_source_open(struct engine *engine, const struct arguments *arguments);

// Fills a document with the answer. Returns an exit code.
typedef int trace_tool(struct engine *engine, const struct trace_choice *choice, json_t *document);
// Opens, chooses, answers, and shows. People do not see empty tables, except the first table.
// `name` is the tool's in the table of needs (trace_needs.c); NULL: its source is no trace of the
// kernel, so nothing is told of CPUs and majors that it lacks. `note` prints what people see below
// if the first table is known; it may be NULL.
int trace_tool_run(const struct arguments *arguments, const char *name, trace_tool *tool,
                   const struct sheet *sheets, void (*note)(const json_t *document));

// Do parts of trace_tool_run, for tools that answer from several traces. The caller closes and
// frees what they fill, in any case.
int trace_tool_choose(const struct engine *engine, struct trace_choice *choice);
// Shows the document and frees it.
void trace_tool_show(json_t *document, const struct sheet *sheets,
                     void (*note)(const json_t *document));

// ---- for tools ---------------------------------------------------------------------------------

// Puts hz, the time that was looked at, and what is missing in it.
void trace_tool_put_walk(json_t *document, const struct trace_walk *walk);
// Puts "pid"; null if it is not known.
void trace_tool_put_pid(json_t *row, u64 pid);
// Puts "pid" and "process", as it is shown: "fs:2", "process 7", "kernel", "[idle]", or the thread
// if its process is unknown, "unknown" if that is too. Puts "name", null if the trace does not tell
// it.
void trace_tool_put_process(json_t *row, const struct trace_walk *walk, u64 pid, u64 thread,
                            bool idle);
// Puts KEY in seconds, and KEY_ticks.
void trace_tool_put_time(json_t *row, const char *key, double ticks, u64 hz);
// Puts min, mean, p50, p99, max of times in ticks, each in seconds and ticks; null if there are
// none.
void trace_tool_put_spread(json_t *row, const struct histogram *ticks, u64 hz);
#define SPREAD_COLUMNS                                                                             \
    TIME_COLUMN("MIN", "min"), TIME_COLUMN("MEAN", "mean"), TIME_COLUMN("P50", "p50"),             \
        TIME_COLUMN("P99", "p99"), TIME_COLUMN("MAX", "max")
#define SPREAD_TICKS                                                                               \
    HIDDEN("min_ticks"), HIDDEN("p50_ticks"), HIDDEN("p99_ticks"), HIDDEN("max_ticks")

#define TRACE_LOCK_CALLERS 3
// Puts "callers", innermost first, and their functions as "chain". `symbols` are the kernel's.
void trace_tool_put_chain(json_t *row, const u64 callers[TRACE_LOCK_CALLERS],
                          struct symbols *symbols);

// Puts how many times lie in each power of two, a row for each, with bars for people.
void trace_tool_put_buckets(json_t *document, const char *key, const struct histogram *ticks,
                            u64 hz);
extern const struct column trace_bucket_columns[];

// Writes a cell such as "12.345 us": people see a time in the unit that fits it.
void trace_time_cell(const struct column *column, const json_t *row, char text[CELL_BYTES]);
#define TIME_COLUMN(heading_, key_) COLUMN(heading_, key_, 11, .compose = trace_time_cell)

// The symbols that name functions. All zero at first.
struct trace_names {
    struct kernel kernel;
    struct symbols *symbols;
    bool tried;
    struct programs programs;
    struct snapshot snapshot; // processes whose names are known
};
// Returns the kernel's symbols, and opens them when they are first wanted. Warns if the trace is of
// another kernel.
struct symbols *trace_names_kernel(struct trace_names *names,
                                   const struct descriptions *descriptions);
// Lets each process that the trace names run the program of that name, unless it has a name
// already.
void trace_names_by_labels(struct trace_names *names, const struct labels *labels);
void trace_names_free(struct trace_names *names);

#endif
