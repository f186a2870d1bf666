// SPDX-License-Identifier: MIT
// Pairs spans within their thread. Adds them up by thread while the trace is read, then by process.
// The trace may tell only later to which process a thread belongs.
#include "analyses/trace_spans.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 4
#define UNKNOWN_THREAD (1UL << 63) // with a CPU: the thread that runs there until the first switch
#define ALL_PROCESSES (ACTIVITY_NO_PID - 1)

struct open_span {
    u64 since, ran; // since: when it began; ran: what its thread had run until then
    u64 enter[EVENT_FIELDS_MAX], within[EVENT_FIELDS_MAX];
};

struct span_thread {
    u64 key[KEY_WORDS]; // its id
    u32 cpu, depth;
    bool told; // an untold thread: by an event of its own
    struct open_span open[DEPTH_MAX];
};

struct span_row {
    u64 key[KEY_WORDS]; // the key of the kind; then thread or process
    struct histogram times;
    u64 ticks, cpu_ticks, errors;
};

struct spans {
    struct trace_walk walk;
    const struct span_kind *kind;
    const struct span_options *options;
    struct keyed_rows threads, rows;
    u64 unfinished, alone, unsure;
};

// ---- threads -----------------------------------------------------------------------------------

static struct span_thread *get_thread(struct spans *spans, u64 id, u32 cpu)
{
    struct span_thread *thread = keyed_rows_get(&spans->threads, (const u64[KEY_WORDS]){id});
    thread->cpu = cpu;
    return thread;
}

// Returns the thread that does what the event tells, which is the one that runs.
static struct span_thread *doer_of(struct spans *spans, const struct trace_event *event)
{
    u64 id = trace_walk_thread(&spans->walk, event->cpu);
    struct span_thread *thread =
        get_thread(spans, id == ACTIVITY_NO_THREAD ? UNKNOWN_THREAD | event->cpu : id, event->cpu);
    thread->told = true;
    return thread;
}

// Returns what a thread has run until `time`; of an untold one, which runs all the time, the time.
static u64 ran_until(const struct spans *spans, const struct span_thread *thread, u64 time)
{
    bool untold = (thread->key[0] & UNKNOWN_THREAD) != 0;
    return untold ? time : trace_model_ran(&spans->walk.model, thread->key[0], time);
}

static void drop(struct span_thread *thread, u64 *counter)
{
    *counter += thread->depth;
    thread->depth = 0;
}

// ---- rows --------------------------------------------------------------------------------------

static void end_span(struct spans *spans, struct span_thread *thread, const u64 *exit, u64 time)
{
    const struct open_span *span = &thread->open[--thread->depth];
    u64 key[KEY_WORDS] = {[SPAN_KEYS] = thread->key[0]};
    spans->kind->key(span->enter, span->within, exit, key);
    if (!trace_walk_has_cpu(&spans->walk, thread->cpu) ||
        (spans->options->only != UINT64_MAX && spans->options->only != key[0]))
        return;
    for (u32 i = spans->options->keys; i < SPAN_KEYS; i++)
        key[i] = 0;
    const struct trace_measures *measures = spans->options->measures;
    if (measures != NULL) {
        measures->take(measures->context, spans->kind->measured, key, thread->key[0], span->since,
                       time);
        return;
    }
    struct span_row *row = keyed_rows_get(&spans->rows, key);
    histogram_add(&row->times, time - span->since);
    row->ticks += time - span->since;
    row->cpu_ticks += ran_until(spans, thread, time) - span->ran;
    row->errors += exit != NULL && spans->kind->failed(exit);
}

// ---- events ------------------------------------------------------------------------------------

static void take_enter(struct spans *spans, const struct trace_event *event)
{
    struct span_thread *thread = doer_of(spans, event);
    if (!spans->kind->nests || thread->depth == DEPTH_MAX)
        drop(thread, &spans->unfinished);
    struct open_span *span = &thread->open[thread->depth++];
    *span = (struct open_span){.since = event->time, .ran = ran_until(spans, thread, event->time)};
    memcpy(span->enter, event->values, sizeof(span->enter));
}

static void take_exit(struct spans *spans, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct span_thread *thread = doer_of(spans, event);
    u32 depth = thread->depth;
    while (depth > 0 && thread->open[depth - 1].enter[0] != values[0])
        depth--;
    if (depth == 0) {
        spans->alone++;
        return;
    }
    spans->unfinished += thread->depth - depth;
    thread->depth = depth;
    end_span(spans, thread, values, event->time);
}

// Gives the spans of the CPU's first thread to `thread`. Which thread ran from the beginning is
// told when it leaves: so it has run all the time since they began.
static void adopt(struct spans *spans, struct span_thread *thread, u32 cpu, u64 time)
{
    struct span_thread *untold = get_thread(spans, UNKNOWN_THREAD | cpu, cpu);
    u64 id = thread->key[0], ran = ran_until(spans, thread, time);
    if (untold->told) {
        *thread = *untold;
        thread->key[0] = id;
        for (u32 i = 0; i < thread->depth; i++)
            thread->open[i].ran = ran - (time - thread->open[i].since);
    }
    untold->told = false;
    untold->depth = 0;
}

static bool is_asleep(const struct spans *spans, const struct span_thread *thread)
{
    return spans->kind->asleep != 0 && thread->depth > 0 &&
           thread->open[thread->depth - 1].enter[0] == spans->kind->asleep;
}

static void take_switch(struct spans *spans, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct span_thread *from = get_thread(spans, values[0], event->cpu);
    struct span_thread *to = get_thread(spans, values[1], event->cpu);
    if (spans->walk.model.before.thread == ACTIVITY_NO_THREAD)
        adopt(spans, from, event->cpu, event->time);
    enum model_left left = trace_model_left(&spans->walk.model, values[1]);
    if (left == LEFT_ASLEEP && is_asleep(spans, to))
        end_span(spans, to, NULL, event->time);
    else if (left == LEFT_UNCLEAR && is_asleep(spans, to))
        drop(to, &spans->unsure);
}

static int take_event(void *context, const struct trace_event *event)
{
    struct spans *spans = context;
    const struct span_kind *kind = spans->kind;
    if (event->kind == EVENT_SWITCH) {
        take_switch(spans, event);
    } else if (event->kind == kind->enter) {
        take_enter(spans, event);
    } else if (event->kind == kind->exit) {
        take_exit(spans, event);
    } else if (kind->within != EVENT_OTHER && event->kind == kind->within) {
        struct span_thread *thread = doer_of(spans, event);
        if (thread->depth > 0)
            memcpy(thread->open[thread->depth - 1].within, event->values, sizeof(event->values));
    }
    return KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct spans *spans = context;
    for (size_t i = 0; i < spans->threads.count && loss->pid == 0; i++) {
        struct span_thread *thread = spans->threads.rows[i];
        if (thread->cpu != loss->cpu)
            continue;
        drop(thread, &spans->unsure);
        thread->told = false;
    }
    return KOV_OK;
}

// ---- the answer --------------------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct span_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

// Joins the rows of threads into those of their processes, or of all processes.
static void join_processes(const struct spans *spans, struct keyed_rows *joined,
                           struct span_row *all)
{
    for (size_t i = 0; i < spans->rows.count; i++) {
        struct span_row row = *(const struct span_row *)spans->rows.rows[i];
        u64 thread = row.key[SPAN_KEYS];
        row.key[SPAN_KEYS] =
            spans->options->by_process ? trace_walk_pid(&spans->walk, thread) : ALL_PROCESSES;
        if (!trace_walk_has_thread(&spans->walk, thread))
            continue;
        struct span_row *sum = keyed_rows_get(joined, row.key);
        histogram_join(&sum->times, &row.times);
        sum->ticks += row.ticks;
        sum->cpu_ticks += row.cpu_ticks;
        sum->errors += row.errors;
        histogram_join(&all->times, &row.times);
        all->ticks += row.ticks;
        all->cpu_ticks += row.cpu_ticks;
        all->errors += row.errors;
    }
}

static void put_numbers(json_t *row, const struct span_row *span, u64 hz)
{
    put_u64(row, "count", span->times.count);
    put_u64(row, "errors", span->errors);
    trace_tool_put_time(row, "time", (double)span->ticks, hz);
    trace_tool_put_time(row, "cpu_time", (double)span->cpu_ticks, hz);
    trace_tool_put_spread(row, &span->times, hz);
}

static void put_rows(json_t *document, const struct spans *spans, const struct keyed_rows *joined)
{
    u64 most = spans->options->most;
    json_t *rows = put_array(document, spans->kind->rows);
    for (size_t i = 0; i < joined->count && (most == 0 || i < most); i++) {
        const struct span_row *span = joined->rows[i];
        json_t *row = put_object(rows, NULL);
        spans->kind->put(row, &spans->walk.labels, span->key);
        if (span->key[SPAN_KEYS] >= ALL_PROCESSES)
            put_text(row, "process", span->key[SPAN_KEYS] == ALL_PROCESSES ? "all" : "unknown");
        else
            trace_tool_put_process(row, &spans->walk, span->key[SPAN_KEYS], 0, false);
        put_numbers(row, span, spans->walk.hz);
    }
}

static void free_rows(struct keyed_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        histogram_free(&((struct span_row *)rows->rows[i])->times);
    keyed_rows_free(rows);
}

static void put_answer(json_t *document, struct spans *spans)
{
    struct keyed_rows joined = {.row_bytes = sizeof(struct span_row)};
    struct span_row all = {0};
    join_processes(spans, &joined, &all);
    if (joined.count > 1)
        qsort(joined.rows, joined.count, sizeof(void *), compare);
    put_rows(document, spans, &joined);
    put_numbers(put_object(document, "all"), &all, spans->walk.hz);
    for (size_t i = 0; i < spans->threads.count; i++)
        drop(spans->threads.rows[i], &spans->unfinished);
    if (spans->options->histogram)
        trace_tool_put_buckets(document, "durations", &all.times, spans->walk.hz);
    else
        put_array(document, "durations");
    put_u64(document, "unfinished", spans->unfinished);
    put_u64(document, "alone", spans->alone);
    put_u64(document, "unsure", spans->unsure);
    trace_tool_put_walk(document, &spans->walk);
    histogram_free(&all.times);
    free_rows(&joined);
}

int trace_spans(struct engine *engine, const struct trace_choice *choice,
                const struct span_kind *kind, const struct span_options *options, json_t *document)
{
    struct spans spans = {
        .walk = {.choice = choice, .event = take_event, .loss = take_loss, .context = &spans},
        .kind = kind,
        .options = options,
        .threads = {.row_bytes = sizeof(struct span_thread)},
        .rows = {.row_bytes = sizeof(struct span_row)}};
    int code = trace_walk(&spans.walk, engine);
    if (code == KOV_OK && options->measures != NULL)
        options->measures->end(options->measures->context, &spans.walk);
    else if (code == KOV_OK)
        put_answer(document, &spans);
    free_rows(&spans.rows);
    keyed_rows_free(&spans.threads);
    trace_walk_free(&spans.walk);
    return code;
}

void trace_spans_note(const json_t *document)
{
    static const struct column spread[] = {{.key = "p50"}, {.key = "p99"}, {.key = "max"}};
    const json_t *all = json_object_get(document, "all");
    char texts[ARRAY_SIZE(spread)][CELL_BYTES];
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
        trace_time_cell(&spread[i], all, texts[i]);
    printf("all %" JSON_INTEGER_FORMAT ": p50 %s, p99 %s, max %s; percentiles ± %.1f %%\n",
           json_integer_value(json_object_get(all, "count")), texts[0], texts[1], texts[2],
           HISTOGRAM_ERROR_PERCENT);
    printf("not measured: %" JSON_INTEGER_FORMAT " without an end, %" JSON_INTEGER_FORMAT
           " without a beginning, %" JSON_INTEGER_FORMAT " with events missing\n",
           json_integer_value(json_object_get(document, "unfinished")),
           json_integer_value(json_object_get(document, "alone")),
           json_integer_value(json_object_get(document, "unsure")));
}
