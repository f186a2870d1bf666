// SPDX-License-Identifier: MIT
// Threads over time. trace_sched.c tells what each thread did.
#include "analyses/trace_threads.h"
#include "analyses/thread_strips.h"
#include "analyses/trace_sched.h"

#include <stdlib.h>

#define PRIORITY_IDLE 0 // kernel/thread.h

struct threads {
    const struct trace_threads_wishes *wishes;
    const struct trace_choice *choice;
    json_t *document;
    struct strips strips;
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
    char letter = on == BLOCKED ? thread_strips_letter(reason) : 0;
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
    const u64 *values = event->values;
    (void)walk;
    if (event->kind != EVENT_SWITCH)
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
        json_t *row = put_object(rows, NULL);
        put_u64(row, "thread", thread);
        trace_tool_put_process(row, walk, trace_walk_pid(walk, thread), thread, false);
        thread_strips_put(row, &threads->strips, strip, threads->wishes->ascii, walk->hz);
    }
    thread_strips_put_cells(threads->document, &threads->strips, walk->hz);
    trace_tool_put_walk(threads->document, walk);
    threads->code = thread_strips_put_meter(threads->document, &threads->strips,
                                            threads->wishes->meter, threads->begin, walk->hz);
}

int trace_threads(struct engine *engine, const struct trace_choice *choice,
                  const struct trace_threads_wishes *wishes, json_t *document)
{
    struct threads threads = {.wishes = wishes,
                              .choice = choice,
                              .document = document,
                              .idle = {.row_bytes = KEY_WORDS * sizeof(u64)}};
    const struct sched_follower follower = {take_time, take_interval, take_event,
                                            take_loss, take_end,      &threads};
    struct trace_walk range = {.choice = choice};
    u64 end;
    engine_range(engine, &threads.begin, &end);
    trace_walk_range(&range, engine);
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
