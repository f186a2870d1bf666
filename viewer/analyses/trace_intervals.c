// SPDX-License-Identifier: MIT
// A part of a thread's time counts in each interval that it overlaps. A call or a wait counts, with
// all its time, in the interval in which it ends, so that its length is not cut.
#include "analyses/trace_intervals.h"
#include "tools/memory.h"
#include "analyses/trace_breakdown.h"
#include "analyses/trace_locks.h"
#include "analyses/trace_spans.h"

#include <stdlib.h>
#include <string.h>

static u32 interval_of(const struct trace_intervals *intervals, u64 time)
{
    unsigned __int128 since = time - intervals->begin;
    u64 length = intervals->end - intervals->begin;
    return time >= intervals->end ? intervals->count - 1 : (u32)(since * intervals->count / length);
}

// Returns the first tick of an interval, as interval_of divides them.
static u64 begin_of(const struct trace_intervals *intervals, u32 interval)
{
    unsigned __int128 length = intervals->end - intervals->begin;
    return intervals->begin + (u64)((length * interval + intervals->count - 1) / intervals->count);
}

static struct interval_row *get_row(struct trace_intervals *intervals, enum trace_measured kind,
                                    const u64 measured[MEASURED_KEYS], u64 thread)
{
    u64 key[KEY_WORDS] = {[MEASURED_KEYS] = thread};
    memcpy(key, measured, MEASURED_KEYS * sizeof(u64));
    struct interval_row *row = keyed_rows_get(&intervals->rows[kind], key);
    if (row->ticks == NULL) {
        row->ticks = memory_get(intervals->count * sizeof(u64));
        row->counts = memory_get(intervals->count * sizeof(u64));
    }
    return row;
}

static void take(void *context, enum trace_measured kind, const u64 key[MEASURED_KEYS], u64 thread,
                 u64 from, u64 to)
{
    struct trace_intervals *intervals = context;
    struct interval_row *row = get_row(intervals, kind, key, thread);
    u64 end = to < intervals->end ? to : intervals->end;
    u64 at = from > intervals->begin ? from : intervals->begin;
    u32 last = interval_of(intervals, end < intervals->begin ? intervals->begin : end);
    if (kind != MEASURED_PART) {
        row->ticks[last] += to > from ? to - from : 0;
        row->counts[last]++;
        return;
    }
    for (u32 i = at < end ? interval_of(intervals, at) : last + 1; i <= last; i++) {
        u64 until = i < last ? begin_of(intervals, i + 1) : end;
        row->ticks[i] += until - at;
        at = until;
    }
}

static void take_idle(void *context, u64 thread)
{
    struct trace_intervals *intervals = context;
    keyed_rows_get(&intervals->idle, (const u64[KEY_WORDS]){thread});
}

static void free_rows(struct keyed_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct interval_row *row = rows->rows[i];
        free(row->ticks);
        free(row->counts);
    }
    keyed_rows_free(rows);
}

static void end_walk(void *context, const struct trace_walk *walk)
{
    struct trace_intervals *intervals = context;
    intervals->lost_packets = walk->lost_packets;
    intervals->discarded = walk->discarded;
    for (u32 kind = 0; kind < MEASURED_KINDS; kind++) {
        struct keyed_rows *rows = &intervals->rows[kind];
        for (size_t i = 0; i < rows->count; i++) {
            struct interval_row *row = rows->rows[i];
            const u64 thread[KEY_WORDS] = {row->key[MEASURED_KEYS]};
            if (keyed_rows_find(&intervals->idle, thread) == NULL)
                intervals->row(intervals->context, kind, row, walk);
        }
        free_rows(rows);
    }
}

int trace_intervals_measure(struct trace_intervals *intervals, struct engine *engine,
                            const struct trace_choice *choice)
{
    struct trace_walk range = {.choice = choice};
    const struct trace_measures measures = {take, take_idle, end_walk, intervals};
    const struct span_options calls = {.keys = 1, .only = UINT64_MAX, .measures = &measures};
    const struct span_options faults = {
        .keys = TRACE_FAULTS_BY_RESULT, .only = UINT64_MAX, .measures = &measures};
    trace_walk_range(&range, engine);
    intervals->begin = range.begin;
    intervals->end = range.end;
    intervals->hz = engine->descriptions.hz;
    for (u32 kind = 0; kind < MEASURED_KINDS; kind++)
        intervals->rows[kind].row_bytes = sizeof(struct interval_row);
    intervals->idle.row_bytes = KEY_WORDS * sizeof(u64);
    if (intervals->end - intervals->begin < intervals->count)
        return fail(KOV_FAILED, "%s: too short for %u intervals", engine->where, intervals->count);
    int code = trace_breakdown_measure(engine, choice, &measures);
    if (code == KOV_OK)
        code = trace_spans(engine, choice, &trace_syscalls, &calls, NULL);
    if (code == KOV_OK)
        code = trace_spans(engine, choice, &trace_faults, &faults, NULL);
    return code == KOV_OK ? trace_locks_measure(engine, choice, &measures) : code;
}

void trace_intervals_free(struct trace_intervals *intervals)
{
    for (u32 kind = 0; kind < MEASURED_KINDS; kind++)
        free_rows(&intervals->rows[kind]);
    keyed_rows_free(&intervals->idle);
}
