// SPDX-License-Identifier: MIT
// Tells for what threads wait, and who wakes them.
#include "analyses/trace_reasons.h"
#include "analyses/event_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace/reasons.h>

struct reason_row {
    u64 key[KEY_WORDS]; // thread, reason; of wakers also who woke it
    struct histogram ticks;
};
enum { THREAD, REASON, BY };

void trace_reasons_begin(struct trace_reasons *reasons)
{
    *reasons = (struct trace_reasons){.waits = {.row_bytes = sizeof(struct reason_row)},
                                      .wakers = {.row_bytes = sizeof(struct reason_row)}};
}

static void free_rows(struct keyed_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        histogram_free(&((struct reason_row *)rows->rows[i])->ticks);
    keyed_rows_free(rows);
}

void trace_reasons_free(struct trace_reasons *reasons)
{
    free_rows(&reasons->waits);
    free_rows(&reasons->wakers);
}

static void add(struct keyed_rows *rows, const u64 key[KEY_WORDS], u64 ticks)
{
    struct reason_row *row = keyed_rows_get(rows, key);
    histogram_add(&row->ticks, ticks);
}

void trace_reasons_waited(struct trace_reasons *reasons, u64 thread, u64 reason, u64 ticks)
{
    add(&reasons->waits, (const u64[KEY_WORDS]){thread, reason}, ticks);
}

void trace_reasons_woken(struct trace_reasons *reasons, u64 thread, u64 by, u64 reason, u64 latency)
{
    add(&reasons->wakers, (const u64[KEY_WORDS]){thread, reason, by}, latency);
}

// ---- the answer --------------------------------------------------------------------------------

static int by_sum(const void *one, const void *other)
{
    const struct reason_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks.sum != b->ticks.sum)
        return a->ticks.sum > b->ticks.sum ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

static int by_count(const void *one, const void *other)
{
    const struct reason_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks.count != b->ticks.count)
        return a->ticks.count > b->ticks.count ? -1 : 1;
    return by_sum(one, other);
}

static void put_waker(json_t *row, const struct trace_walk *walk, u64 by)
{
    u64 pid = trace_walk_pid(walk, by);
    char text[WORD_BYTES];
    bool named = by != 0 && pid != ACTIVITY_NO_PID && word_of_process(&walk->labels, pid, text);
    if (!named)
        snprintf(text, sizeof(text), "process %" PRIu64, pid);
    put_u64(row, "by", by);
    put_text(row, "by_process", by == 0 ? "[interrupt]" : pid == ACTIVITY_NO_PID ? NULL : text);
}

static void put_rows(json_t *rows, const struct keyed_rows *from, const struct trace_walk *walk,
                     u64 most, bool wakers)
{
    static const char *const names[REASONS] = REASON_NAMES;
    for (size_t i = 0; i < from->count; i++) {
        const struct reason_row *reason = from->rows[i];
        u64 why = reason->key[REASON];
        u64 thread = reason->key[THREAD];
        if (!trace_walk_has_thread(walk, thread) || (most != 0 && json_array_size(rows) >= most))
            continue;
        json_t *row = put_object(rows, NULL);
        put_u64(row, "thread", thread);
        trace_tool_put_process(row, walk, trace_walk_pid(walk, thread), thread, false);
        if (wakers)
            put_waker(row, walk, reason->key[BY]);
        put_text(row, "reason", why < REASONS ? names[why] : "unknown");
        put_u64(row, "count", reason->ticks.count);
        trace_tool_put_time(row, "time", reason->ticks.sum, walk->hz);
        trace_tool_put_spread(row, &reason->ticks, walk->hz);
    }
}

void trace_reasons_put(struct trace_reasons *reasons, const struct trace_walk *walk, u64 most,
                       json_t *document)
{
    if (reasons->waits.count > 1)
        qsort(reasons->waits.rows, reasons->waits.count, sizeof(void *), by_sum);
    if (reasons->wakers.count > 1)
        qsort(reasons->wakers.rows, reasons->wakers.count, sizeof(void *), by_count);
    put_rows(put_array(document, "waits"), &reasons->waits, walk, most, false);
    put_rows(put_array(document, "wakers"), &reasons->wakers, walk, most, true);
}

const struct column trace_waits_columns[] = {
    COLUMN("THREAD", "thread", 6),
    COLUMN("PROCESS", "process", -11),
    COLUMN("WAITS FOR", "reason", -9),
    COLUMN("COUNT", "count", 7),
    TIME_COLUMN("TIME", "time"),
    TIME_COLUMN("MEAN", "mean"),
    TIME_COLUMN("P99", "p99"),
    TIME_COLUMN("MAX", "max"),
    HIDDEN("pid"),
    HIDDEN("time_ticks"),
    HIDDEN("p99_ticks"),
    HIDDEN("max_ticks"),
    COLUMNS_END,
};
const struct column trace_wakers_columns[] = {
    COLUMN("THREAD", "thread", 6),
    COLUMN("PROCESS", "process", -11),
    COLUMN("WOKEN FOR", "reason", -9),
    COLUMN("BY", "by", 6),
    COLUMN("BY PROCESS", "by_process", -11),
    COLUMN("COUNT", "count", 7),
    TIME_COLUMN("P50", "p50"),
    TIME_COLUMN("P99", "p99"),
    TIME_COLUMN("MAX", "max"),
    HIDDEN("pid"),
    HIDDEN("p50_ticks"),
    HIDDEN("p99_ticks"),
    HIDDEN("max_ticks"),
    COLUMNS_END,
};
