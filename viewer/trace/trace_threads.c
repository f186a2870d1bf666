// SPDX-License-Identifier: MIT
// Threads over time. What each did comes from trace_sched.c.
#include "trace/trace_threads.h"
#include "tools/memory.h"
#include "tools/strips.h"
#include "trace/trace_sched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace/reasons.h>

#define PRIORITY_IDLE 0 // kernel/thread.h

// What a thread waits for. The first letter of the reason's name, but where that is another's.
static const char letters[REASONS] = {
    [REASON_CALL] = 'c',  [REASON_REPLY] = 'r',   [REASON_ANSWER] = 'a',
    [REASON_EVENT] = 'e', [REASON_MESSAGE] = 'm', [REASON_LOCK] = 'l',
    [REASON_PAGE] = 'p',  [REASON_TIME] = 't',    [REASON_OTHER] = 'o'};

struct threads {
    const struct trace_threads_wishes *wishes;
    const struct trace_choice *choice;
    json_t *document;
    struct strips strips;
    struct event_fields change;
    struct keyed_rows idle; // threads
    u64 begin;              // of the trace
    int code;
};

// ---- events ------------------------------------------------------------------------------------

static void take_time(void *context, u64 thread, enum thread_time on, u64 reason, u64 from, u64 to)
{
    static const enum strip_state states[] = {[RUN] = STRIP_RUN,
                                              [READY] = STRIP_READY,
                                              [BLOCKED] = STRIP_BLOCKED,
                                              [UNKNOWN] = STRIP_UNKNOWN};
    struct threads *threads = context;
    char letter = on == BLOCKED && reason < REASONS ? letters[reason] : 0;
    strips_add(&threads->strips, thread, states[on], letter, from, to);
}

static int take_interval(void *context, const struct activity_interval *interval)
{
    (void)context; // what a thread does while it runs is not shown
    (void)interval;
    return KOV_OK;
}

static int take_event(void *context, const struct trace_walk *walk, const struct trace_event *event)
{
    struct threads *threads = context;
    u64 values[EVENT_FIELDS_MAX];
    (void)walk;
    if (!event_fields_are(&threads->change, event, values))
        return KOV_OK;
    for (u32 side = 0; side < 2; side++)
        if (values[2 + side] == PRIORITY_IDLE)
            keyed_rows_get(&threads->idle, (const u64[KEY_WORDS]){values[side]});
    return KOV_OK;
}

static void take_loss(void *context, const struct trace_loss *loss)
{
    (void)context; // what threads did then is UNKNOWN
    (void)loss;
}

// ---- the answer --------------------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct strip *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks[STRIP_RUN] != b->ticks[STRIP_RUN])
        return a->ticks[STRIP_RUN] > b->ticks[STRIP_RUN] ? -1 : 1;
    return a->key[0] < b->key[0] ? -1 : a->key[0] > b->key[0];
}

static void put_thread(json_t *row, const struct threads *threads, const struct trace_walk *walk,
                       const struct strip *strip)
{
    char text[STRIP_TEXT_BYTES];
    u64 thread = strip->key[0], runs = strip->counts[STRIP_RUN];
    put_u64(row, "thread", thread);
    trace_tool_put_process(row, walk, trace_walk_pid(walk, thread), thread, false);
    strips_text(&threads->strips, strip, threads->wishes->ascii, text);
    put_text(row, "strip", text);
    put_u64(row, "runs", runs);
    trace_tool_put_time(row, "run", (double)strip->ticks[STRIP_RUN], walk->hz);
    trace_tool_put_time(row, "mean_slice",
                        runs == 0 ? 0 : (double)strip->ticks[STRIP_RUN] / (double)runs, walk->hz);
    trace_tool_put_time(row, "longest_slice", (double)strip->longest[STRIP_RUN], walk->hz);
    trace_tool_put_time(row, "ready", (double)strip->ticks[STRIP_READY], walk->hz);
    trace_tool_put_time(row, "longest_ready", (double)strip->longest[STRIP_READY], walk->hz);
    trace_tool_put_time(row, "blocked", (double)strip->ticks[STRIP_BLOCKED], walk->hz);
    trace_tool_put_time(row, "unknown", (double)strip->ticks[STRIP_UNKNOWN], walk->hz);
}

// A line that marks the two times, above the strips.
static void put_meter(struct threads *threads, const struct trace_walk *walk)
{
    const char *comma = strchr(threads->wishes->meter, ',');
    u64 times[2];
    char *first = memory_copy_text(threads->wishes->meter);
    first[comma - threads->wishes->meter] = '\0';
    threads->code = trace_time_read("meter", first, walk->hz, threads->begin, &times[0]);
    if (threads->code == KOV_OK)
        threads->code = trace_time_read("meter", comma + 1, walk->hz, threads->begin, &times[1]);
    free(first);
    if (threads->code != KOV_OK)
        return;
    char line[STRIP_CELLS_MAX + 1];
    u32 cell;
    memset(line, ' ', threads->strips.cells);
    line[threads->strips.cells] = '\0';
    for (u32 i = 0; i < 2; i++)
        if (strips_cell(&threads->strips, times[i], &cell))
            line[cell] = (char)('A' + i);
    json_t *meter = put_object(threads->document, "meter");
    u64 apart = times[1] > times[0] ? times[1] - times[0] : times[0] - times[1];
    put_text(meter, "strip", line);
    trace_tool_put_time(meter, "apart", (double)apart, walk->hz);
}

static void take_end(void *context, const struct trace_walk *walk)
{
    struct threads *threads = context;
    struct keyed_rows *strips = &threads->strips.rows;
    u64 most = threads->wishes->most;
    if (strips->count > 1)
        qsort(strips->rows, strips->count, sizeof(void *), compare);
    json_t *rows = put_array(threads->document, "threads");
    for (size_t i = 0; i < strips->count; i++) {
        const struct strip *strip = strips->rows[i];
        u64 thread = strip->key[0];
        if (keyed_rows_find(&threads->idle, (const u64[KEY_WORDS]){thread}) != NULL ||
            !trace_walk_has_thread(walk, thread) || (most != 0 && json_array_size(rows) >= most))
            continue;
        put_thread(put_object(rows, NULL), threads, walk, strip);
    }
    put_u64(threads->document, "cells", threads->strips.cells);
    trace_tool_put_time(threads->document, "cell",
                        (double)(threads->strips.to - threads->strips.from) /
                            (double)threads->strips.cells,
                        walk->hz);
    trace_tool_put_walk(threads->document, walk);
    if (threads->wishes->meter != NULL)
        put_meter(threads, walk);
}

int trace_threads(struct engine *engine, const struct trace_choice *choice,
                  const struct trace_threads_wishes *wishes, json_t *document)
{
    struct threads threads = {.wishes = wishes,
                              .choice = choice,
                              .document = document,
                              .change = {.name = "SCHED:switch",
                                         .fields = {"from", "to", "from_priority", "to_priority"}},
                              .idle = {.row_bytes = KEY_WORDS * sizeof(u64)}};
    event_fields_find(&threads.change, &engine->descriptions);
    const struct sched_follower follower = {take_time, take_interval, take_event,
                                            take_loss, take_end,      &threads};
    struct trace_walk range = {.choice = choice};
    u64 end;
    engine_range(engine, &threads.begin, &end);
    trace_walk_range(&range, engine);
    if (wishes->meter != NULL && strchr(wishes->meter, ',') == NULL)
        return fail(KOV_USAGE, "--meter %s: must be A,B, two times", wishes->meter);
    if (range.begin == range.end)
        range.end++;
    strips_begin(&threads.strips, range.begin, range.end, (u32)wishes->cells);
    int code = trace_sched_follow(engine, choice, &follower);
    strips_free(&threads.strips);
    keyed_rows_free(&threads.idle);
    return code == KOV_OK ? threads.code : code;
}

static const struct column columns[] = {
    COLUMN("THREAD", "thread", 6),
    COLUMN("PROCESS", "process", -12),
    COLUMN("OVER TIME", "strip", -1),
    HIDDEN("pid"),
    HIDDEN("runs"),
    HIDDEN("run_ticks"),
    HIDDEN("mean_slice_ticks"),
    HIDDEN("longest_slice_ticks"),
    HIDDEN("ready_ticks"),
    HIDDEN("longest_ready_ticks"),
    HIDDEN("blocked_ticks"),
    HIDDEN("unknown_ticks"),
    COLUMNS_END,
};
const struct sheet trace_threads_sheets[] = {{"threads", columns}, {NULL, NULL}};

static const struct column summary_columns[] = {
    COLUMN("THREAD", "thread", 6),
    COLUMN("PROCESS", "process", -12),
    COLUMN("RUNS", "runs", 7),
    TIME_COLUMN("RUN", "run"),
    TIME_COLUMN("MEAN SLICE", "mean_slice"),
    TIME_COLUMN("LONGEST", "longest_slice"),
    TIME_COLUMN("READY", "ready"),
    TIME_COLUMN("LONGEST", "longest_ready"),
    TIME_COLUMN("BLOCKED", "blocked"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    HIDDEN("run_ticks"),
    HIDDEN("mean_slice_ticks"),
    HIDDEN("longest_slice_ticks"),
    HIDDEN("longest_ready_ticks"),
    HIDDEN("pid"),
    COLUMNS_END,
};
const struct sheet trace_threads_summary_sheets[] = {{"threads", summary_columns}, {NULL, NULL}};

void trace_threads_note(const json_t *document)
{
    const struct column cell = {.key = "cell"}, apart = {.key = "apart"};
    const json_t *meter = json_object_get(document, "meter");
    char text[CELL_BYTES];
    if (meter != NULL) {
        trace_time_cell(&apart, meter, text);
        printf("%21s%s\n%21sA to B: %s\n", "", json_string_value(json_object_get(meter, "strip")),
               "", text);
    }
    trace_time_cell(&cell, document, text);
    printf(
        "a cell is %s; runs, is ready, or waits: c for calls, r behind an answer, a for an answer,\n"
        "e for an event, m a message, l a lock, p a page, t a time, o, b for something else\n",
        text);
}
