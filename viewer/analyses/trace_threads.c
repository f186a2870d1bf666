// SPDX-License-Identifier: MIT
// Threads over time.
#include "analyses/trace_threads.h"
#include "analyses/state_walk.h"
#include "analyses/thread_strips.h"

#include <stdlib.h>

struct threads {
    const struct trace_threads_options *options;
    const struct trace_choice *choice;
    json_t *document;
    struct strips strips;
    u64 begin; // of the trace
    int code;
};

// ---- events ------------------------------------------------------------------------------------

static void take_time(void *context, const struct thread_interval *interval)
{
    static const enum strip_state states[] = {[THREAD_RUN] = STRIP_RUN,
                                              [THREAD_READY] = STRIP_READY,
                                              [THREAD_BLOCKED] = STRIP_BLOCKED,
                                              [THREAD_UNKNOWN] = STRIP_UNKNOWN};
    struct threads *threads = context;
    char letter = interval->on == THREAD_BLOCKED ? thread_strips_letter(interval->reason) : 0;
    strips_add(&threads->strips, interval->thread, states[interval->on], letter, interval->from,
               interval->to);
}

// ---- the answer --------------------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct strip *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks[STRIP_RUN] != b->ticks[STRIP_RUN])
        return a->ticks[STRIP_RUN] > b->ticks[STRIP_RUN] ? -1 : 1;
    return a->key[0] < b->key[0] ? -1 : a->key[0] > b->key[0];
}

static void put_answer(struct threads *threads, const struct trace_walk *walk)
{
    struct keyed_rows *strips = &threads->strips.rows;
    u64 most = threads->options->most;
    if (strips->count > 1)
        qsort(strips->rows, strips->count, sizeof(void *), compare);
    json_t *rows = put_array(threads->document, "threads");
    for (size_t i = 0; i < strips->count; i++) {
        const struct strip *strip = strips->rows[i];
        u64 thread = strip->key[0];
        if (trace_walk_is_idle(walk, thread) || !trace_walk_has_thread(walk, thread) ||
            (most != 0 && json_array_size(rows) >= most))
            continue;
        json_t *row = put_object(rows, NULL);
        put_u64(row, "thread", thread);
        trace_tool_put_process(row, walk, trace_walk_pid(walk, thread), thread, false);
        thread_strips_put(row, &threads->strips, strip, threads->options->ascii, walk->hz);
    }
    thread_strips_put_cells(threads->document, &threads->strips, walk->hz);
    trace_tool_put_walk(threads->document, walk);
    threads->code = thread_strips_put_meter(threads->document, &threads->strips,
                                            threads->options->meter, threads->begin, walk->hz);
}

int trace_threads(struct engine *engine, const struct trace_choice *choice,
                  const struct trace_threads_options *options, json_t *document)
{
    struct threads threads = {.options = options, .choice = choice, .document = document};
    struct state_walk walk = {.ended = take_time, .context = &threads};
    struct trace_walk range = {.choice = choice};
    u64 end;
    engine_range(engine, &threads.begin, &end);
    trace_walk_range(&range, engine);
    if (range.begin == range.end)
        range.end++;
    strips_begin(&threads.strips, range.begin, range.end, (u32)options->cells);
    int code = state_walk(&walk, engine, choice);
    if (code == KOV_OK)
        put_answer(&threads, &walk.walk);
    state_walk_free(&walk);
    strips_free(&threads.strips);
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
